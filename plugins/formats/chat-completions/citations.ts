import { type Citation, isObject, type JsonObject } from 'deflector'

const KNOWN: ReadonlySet<string> = new Set(['start_index', 'end_index', 'url', 'title', 'content'])

/** Web pages that an answer cites; `undefined` unless all that the list holds are such, and in the vendor's own shape. */
export function decodeAnnotations(list: unknown): Citation[] | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined
  const citations = list.map(decodeAnnotation)
  return citations.every(citation => citation !== undefined) ? citations : undefined
}

function decodeAnnotation(annotation: unknown): Citation | undefined {
  if (!isObject(annotation) || annotation.type !== 'url_citation' || !isObject(annotation.url_citation))
    return undefined
  const { url, title, content, start_index: start, end_index: end } = annotation.url_citation
  const isWhole = typeof url === 'string' && typeof title === 'string' && isPlace(start) && isPlace(end)
  if (!isWhole || Object.keys(annotation.url_citation).some(name => !KNOWN.has(name))) return undefined
  return { url, title, ...(typeof content === 'string' && { quote: content }), start, end }
}

const isPlace = (value: unknown): value is number => typeof value === 'number' && value >= 0

/** A citation of a piece of text that begins at `from` and has `length` characters; none without an address. */
export function encodeCitation(
  { url, title, quote, start, end }: Citation,
  from: number,
  length: number,
): JsonObject[] {
  if (url === undefined) return []
  const place = { start_index: from + (start ?? 0), end_index: from + (end ?? length) }
  const words = quote === undefined ? {} : { content: quote }
  return [{ type: 'url_citation', url_citation: { ...place, url, title: title ?? '', ...words } }]
}
