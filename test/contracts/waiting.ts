import { Cancellation, type ProviderCall } from 'deflector'

/** Both forms in which a call says whether somebody still waits; by default somebody does. */
export const waiting = (
  signal: ProviderCall['signal'] = new AbortController().signal,
): Pick<ProviderCall, 'signal' | 'cancellation'> => ({ signal, cancellation: Cancellation.following(signal) })
