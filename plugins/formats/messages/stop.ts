import type { AnswerBlock, Stop, StopReason } from 'deflector'

const READ: Readonly<Record<string, StopReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool_use',
  max_tokens: 'length',
  model_context_window_exceeded: 'context',
  refusal: 'refusal',
  pause_turn: 'paused',
}

const WRITTEN: Readonly<Record<StopReason, string>> = {
  stop: 'end_turn',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool_use',
  length: 'max_tokens',
  context: 'model_context_window_exceeded',
  filtered: 'refusal',
  refusal: 'refusal',
  paused: 'pause_turn',
  unknown: 'end_turn',
}

/** A `stop_reason` that is new to us is `unknown`. */
export function readStop(reason: string, sequence: string | null | undefined): Stop {
  return { reason: READ[reason] ?? 'unknown', ...(typeof sequence === 'string' && { sequence }) }
}

/**
 * The stop as this format says it. What the answer holds counts for more than what a vendor said: calls are there to
 * be run, and without any there is nothing to run. An answer that was cut off stays cut off.
 */
export function writeStop(stop: Stop, holds: ReadonlySet<AnswerBlock['type']>) {
  let reason = stop.reason
  if (holds.has('tool_call') && (reason === 'stop' || reason === 'stop_sequence' || reason === 'unknown')) {
    reason = 'tool_use'
  } else if (reason === 'tool_use' && !holds.has('tool_call')) reason = 'stop'
  if (holds.has('refusal') && reason === 'stop') reason = 'refusal'
  return {
    stop_reason: WRITTEN[reason],
    stop_sequence: reason === 'stop_sequence' ? (stop.sequence ?? null) : null,
  }
}
