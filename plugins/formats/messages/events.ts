import type { JsonObject } from 'deflector'
import { exactJson } from '../exact-json.ts'
import { sseText } from '../sse.ts'

/** One event of a stream. Clients dispatch on the `event:` line, so it says the same as the `type` inside. */
export function eventText(event: JsonObject & { readonly type: string }): string {
  return sseText({ event: event.type, data: exactJson(event) })
}
