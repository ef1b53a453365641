import { isObject, type JsonObject, type OpaqueBlock } from 'deflector'
import { decodeAnnotations } from './citations.ts'

const FORMAT = 'chat-completions'

/** Lists beside an answer's text that the canonical shape has no place for: pictures, files. Only this format writes them. */
const LISTS = ['annotations', 'images'] as const

/** What of a message or delta is kept as it came. */
export function readExtras(fields: JsonObject): OpaqueBlock[] {
  const value: JsonObject = {}
  for (const name of LISTS) {
    const list = fields[name]
    if (Array.isArray(list) && list.length > 0 && !isModelled(name, list)) value[name] = list
  }
  const details = foreignDetails(fields.reasoning_details)
  if (details.length > 0) value.reasoning_details = details
  if (Object.keys(value).length === 0) return []
  return [{ type: 'opaque', format: FORMAT, value, ...(value.images !== undefined && { vital: 'an image' }) }]
}

const isModelled = (name: string, list: unknown): boolean =>
  name === 'annotations' && decodeAnnotations(list) !== undefined

/** Proofs of reasoning that only the host who wrote them can read. The words beside them are kept as reasoning. */
const foreignDetails = (details: unknown): JsonObject[] =>
  (Array.isArray(details) ? details : []).filter(
    detail =>
      isObject(detail) &&
      typeof detail.format === 'string' &&
      !detail.format.startsWith('anthropic') &&
      (typeof detail.data === 'string' || typeof detail.signature === 'string'),
  )

/** Adds kept lists to a whole message; those that came in several pieces are put together again. */
export function mergeExtras(message: JsonObject, { format, value }: Pick<OpaqueBlock, 'format' | 'value'>): void {
  if (format !== FORMAT) return
  for (const [name, list] of Object.entries(value)) {
    const before = message[name]
    message[name] = Array.isArray(before) && Array.isArray(list) ? [...before, ...list] : list
  }
}

/** The delta that says the same, or `undefined` for what another format kept. */
export const extrasDelta = ({ format, value }: Pick<OpaqueBlock, 'format' | 'value'>): JsonObject | undefined =>
  format === FORMAT ? value : undefined
