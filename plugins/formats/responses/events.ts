import type { JsonObject } from 'deflector'
import { sseText } from '../sse.ts'

/** One event of a stream; its name is the `type` inside. */
export function eventText(event: JsonObject & { readonly type: string }): string {
  return sseText({ event: event.type, data: JSON.stringify(event) })
}
