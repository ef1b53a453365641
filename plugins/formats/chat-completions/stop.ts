import type { Stop, StopReason } from 'deflector'

const REASONS: Readonly<Record<string, StopReason>> = {
  stop: 'stop',
  eos: 'stop',
  end_turn: 'stop',
  length: 'length',
  max_tokens: 'length',
  model_length: 'context', // Mistral
  tool_calls: 'tool_use',
  tool_use: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'filtered',
}

/** Finish reasons by which a host says that it failed. */
const FAILURES = new Set(['error', 'insufficient_system_resource'])

export interface Seen {
  readonly calls: boolean
  readonly refusal: boolean
}

/** Throws an `Error` for a finish reason that is a failure. An answer without any broke off, unless it calls. */
export function decodeStop(reason: unknown, { calls, refusal }: Seen): Stop {
  if (!calls && (reason === undefined || reason === null || reason === ''))
    return { reason: 'unknown', gaveUp: 'no finish_reason' }
  if (typeof reason === 'string' && FAILURES.has(reason)) throw new Error(`the vendor gave up: ${reason}`)
  const known = (typeof reason === 'string' ? REASONS[reason.toLowerCase()] : undefined) ?? 'unknown'
  // Calls are to be run whatever the vendor calls it, unless the answer was cut off and a call may be half written.
  if (calls && (known === 'stop' || known === 'unknown')) return { reason: 'tool_use' }
  if (refusal && known === 'stop') return { reason: 'refusal' }
  return { reason: known }
}

const WORDS: Readonly<Record<StopReason, string>> = {
  stop: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  length: 'length',
  context: 'length',
  filtered: 'content_filter',
  refusal: 'content_filter',
  paused: 'stop',
  unknown: 'stop',
}

/**
 * A refusal that is spelled out in the answer ends as `stop`; without words only `content_filter` can say it. Where no
 * call is told there is none to be run, whatever the vendor ran itself.
 */
export function encodeStop({ reason }: Stop, { calls, refusal }: Seen): string {
  const word = reason === 'refusal' && refusal ? 'stop' : WORDS[reason]
  if (calls) return word === 'stop' ? 'tool_calls' : word
  return word === 'tool_calls' ? 'stop' : word
}
