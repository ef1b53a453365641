import { isProviderError } from 'deflector'
import { passedUsage } from 'deflector/formats/passed-usage'

/** The same failure, with what the vendor says in `reply` that the call used: failed calls are paid for, too. */
export function withToldUsage<E>(error: E, reply: Buffer | string): E {
  if (isProviderError(error)) error.usage ??= passedUsage(reply)
  return error
}
