import { isObject, isProviderError, type Usage } from 'deflector'
import { countedIn } from 'deflector/formats/passed-usage'
import { parsedJson } from './parsed-json.ts'

/** A failure says little; a larger reply is not read again for its usage. */
const LARGEST = 512 << 10

/** The same failure, with what the vendor says in `reply` that the call used: failed calls are paid for, too. */
export function withToldUsage<E>(error: E, reply: Buffer | string): E {
  if (isProviderError(error) && error.usage === undefined && reply.length <= LARGEST)
    error.usage = toldIn(parsedJson(reply.toString()))
  return error
}

/** Only where vendors write it: some repeat the request in their errors, and that may hold anything. */
function toldIn(body: unknown): Usage | undefined {
  if (!isObject(body)) return undefined
  for (const place of [body, body.response, body.error]) {
    const usage = isObject(place) ? (countedIn(place.usage) ?? countedIn(place.usageMetadata)) : undefined
    if (usage) return usage
  }
  return undefined
}
