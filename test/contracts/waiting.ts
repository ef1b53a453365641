import { Cancellation } from 'deflector'

/** Both forms in which a call says whether somebody still waits; by default somebody does. */
export const waiting = (
  signal = new AbortController().signal,
): { readonly signal: AbortSignal; readonly cancellation: Cancellation } => ({
  signal,
  cancellation: Cancellation.following(signal),
})
