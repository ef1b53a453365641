import type { Stop, StopReason } from 'deflector'

const REASONS: Readonly<Record<string, StopReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'filtered',
  RECITATION: 'filtered',
  LANGUAGE: 'filtered',
  BLOCKLIST: 'filtered',
  PROHIBITED_CONTENT: 'filtered',
  SPII: 'filtered',
  IMAGE_SAFETY: 'filtered',
  IMAGE_PROHIBITED_CONTENT: 'filtered',
  IMAGE_RECITATION: 'filtered',
  IMAGE_OTHER: 'filtered',
}

/** Finish reasons by which a vendor says that the model did not come to an answer; the next attempt may. */
const FAILURES = new Set([
  'MALFORMED_FUNCTION_CALL',
  'MALFORMED_RESPONSE',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
])

export const isFailure = (reason: unknown): reason is string => typeof reason === 'string' && FAILURES.has(reason)

/** The format stops alike with calls and without. Calls of a model that came to no answer are not to be run. */
export function readStop(reason: unknown, calls: boolean): Stop {
  if (isFailure(reason)) return { reason: 'unknown', gaveUp: reason }
  const known = (typeof reason === 'string' ? REASONS[reason] : undefined) ?? 'unknown'
  return { reason: calls && (known === 'stop' || known === 'unknown') ? 'tool_use' : known }
}

const WORDS: Readonly<Record<StopReason, string>> = {
  stop: 'STOP',
  stop_sequence: 'STOP',
  tool_use: 'STOP',
  paused: 'STOP',
  length: 'MAX_TOKENS',
  context: 'MAX_TOKENS',
  filtered: 'SAFETY',
  refusal: 'SAFETY',
  unknown: 'OTHER',
}

/** A refusal that is spelled out is one too, and calls are to be run whatever a vendor called it. */
export function writeStop({ reason }: Stop, holds: { readonly calls: boolean; readonly refusal: boolean }): string {
  if (reason === 'stop' && holds.refusal) return WORDS.refusal
  return reason === 'unknown' && holds.calls ? WORDS.tool_use : WORDS[reason]
}
