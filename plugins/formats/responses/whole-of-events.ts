import { isObject, type JsonObject, type WireEvent } from 'deflector'
import { exactJson, parseExact } from '../exact-json.ts'

/** Events that end an answer which can be given again. */
const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete'])

/**
 * The response that a stream ends with, as JSON text; `undefined` where it ends otherwise. Some hosts leave the items out
 * of the last event, which all had one of their own.
 */
export function wholeOfEvents(events: Iterable<WireEvent>): string | undefined {
  const items = new Map<number, JsonObject>()
  let whole: JsonObject | undefined
  for (const { data } of events) {
    const event = parseExact(data)
    if (!isObject(event)) return undefined
    const { type, item, output_index: index, response } = event
    if (type === 'response.output_item.done' && isObject(item) && typeof index === 'number') items.set(index, item)
    if (ENDS.has(type) && isObject(response)) whole = response
  }
  if (!whole) return undefined
  const told: unknown[] = Array.isArray(whole.output) ? whole.output : []
  if (told.length > 0 || items.size === 0) return exactJson({ ...whole, output: told })
  const output = [...items].sort(([a], [b]) => a - b).map(([, item]) => item)
  return exactJson({ ...whole, output })
}
