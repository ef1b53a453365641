import { isObject, type JsonObject, type Stop, type StopReason } from 'deflector'
import { StreamFault } from '../stream-fault.ts'

export interface Seen {
  readonly calls: boolean
  readonly refusal: boolean
}

/** Why the model stopped, as the response object tells it. Throws a `StreamFault` for an answer that failed. */
export function decodeStop({ status, error, incomplete_details: details }: JsonObject, seen: Seen): Stop {
  if (status === 'failed' || status === 'cancelled') throw faultOf(error, String(status))
  if (status === 'incomplete') {
    const reason = isObject(details) ? details.reason : undefined
    // Whatever it is called: the text ends too early, and a client has to learn that.
    return { reason: reason === 'content_filter' ? 'filtered' : 'length' }
  }
  // Work in the background is accepted and not done: only clients of this format can ask for its outcome.
  if (status === 'queued' || status === 'in_progress') return { reason: 'unknown', gaveUp: status }
  return { reason: seen.calls ? 'tool_use' : seen.refusal ? 'refusal' : 'stop' }
}

/** A vendor's error object. */
export function faultOf(error: unknown, otherwise = 'error'): StreamFault {
  const { code, type, message } = isObject(error) ? error : {}
  const word = [code, type].find(each => typeof each === 'string' && each !== '')
  const said = typeof message === 'string' && message !== '' ? message : 'the vendor sent an error without a message'
  return new StreamFault(typeof word === 'string' ? word : otherwise, said)
}

const CUT: ReadonlySet<StopReason> = new Set(['length', 'context', 'filtered', 'paused'])

/**
 * `status` and `incomplete_details`. A refusal in words is complete; without any only the filter can say it. A pause, for
 * which there is no word, is told as a cap: of the two words the one after which clients go on.
 */
export function encodeStop({ reason }: Stop, { refusal }: Seen): JsonObject {
  const isSilent = reason === 'refusal' && !refusal
  if (!CUT.has(reason) && !isSilent) return { status: 'completed', incomplete_details: null }
  const why = reason === 'filtered' || isSilent ? 'content_filter' : 'max_output_tokens'
  return { status: 'incomplete', incomplete_details: { reason: why } }
}
