import type { JsonObject } from 'deflector'
import { exactJson } from '../exact-json.ts'
import { sseText } from '../sse.ts'

/** One event of a stream; its name is the `type` inside. */
export function eventText(event: JsonObject & { readonly type: string }): string {
  return sseText({ event: event.type, data: exactJson(event) })
}
