import { type Citation, isObject, type JsonObject } from 'deflector'

/** Where an answer's words come from: `groundingMetadata` of a searching model, and `citationMetadata` of a quoting one. */

/** What is said of one candidate. `text` is all of its words: the vendor counts their bytes. */
export function readCitations(candidate: JsonObject, text: string): Citation[] {
  const place = placesIn(text)
  return [...grounded(candidate.groundingMetadata, place), ...quoted(candidate.citationMetadata, place)]
}

type Place = (segment: unknown) => Pick<Citation, 'start' | 'end'>

function grounded(metadata: unknown, place: Place): Citation[] {
  if (!isObject(metadata)) return []
  const sources = listIn(metadata, 'groundingChunks').map(sourceOf)
  const supports = listIn(metadata, 'groundingSupports')
  if (supports.length === 0) return sources.flatMap(source => source ?? [])
  return supports.flatMap(support =>
    listIn(support, 'groundingChunkIndices').flatMap(index => {
      const source = typeof index === 'number' ? sources[index] : undefined
      return source ? [{ ...source, ...place(isObject(support) ? support.segment : undefined) }] : []
    }),
  )
}

function sourceOf(chunk: unknown): Citation | undefined {
  const held = isObject(chunk) ? (chunk.web ?? chunk.retrievedContext ?? chunk.maps) : undefined
  if (!isObject(held)) return undefined
  const { uri, title, text } = held
  return {
    ...(typeof uri === 'string' && { url: uri }),
    ...(typeof title === 'string' && { title }),
    ...(typeof text === 'string' && { quote: text }),
  }
}

function quoted(metadata: unknown, place: Place): Citation[] {
  if (!isObject(metadata)) return []
  const sources = [...listIn(metadata, 'citationSources'), ...listIn(metadata, 'citations')]
  return sources.flatMap(source => {
    if (!isObject(source)) return []
    const { uri, title } = source
    return [
      {
        ...(typeof uri === 'string' && { url: uri }),
        ...(typeof title === 'string' && { title }),
        ...place(source),
      },
    ]
  })
}

const listIn = (value: unknown, name: string): readonly unknown[] => {
  const list = isObject(value) ? value[name] : undefined
  return Array.isArray(list) ? list : []
}

/** The vendor's bytes as places in a string. A start of 0 is left out there; without an end there is no place. */
function placesIn(text: string): Place {
  const bytes = Buffer.from(text)
  const at = (byte: number): number => bytes.subarray(0, byte).toString('utf8').length
  return segment => {
    if (!isObject(segment) || typeof segment.endIndex !== 'number' || segment.endIndex > bytes.length) return {}
    const from = typeof segment.startIndex === 'number' ? segment.startIndex : 0
    return { start: at(from), end: at(segment.endIndex) }
  }
}

/** The field of a candidate for these citations; nothing where there are none. */
export function writeCitations(citations: readonly Citation[], text: string): JsonObject {
  if (citations.length === 0) return {}
  const sources = new Map<string, { readonly index: number; readonly chunk: JsonObject }>()
  const supports: JsonObject[] = []
  for (const { url, title, quote, start, end } of citations) {
    const key = JSON.stringify([url, title, quote])
    const source = sources.get(key) ?? { index: sources.size, chunk: chunkOf({ url, title, quote }) }
    sources.set(key, source)
    if (start === undefined || end === undefined) continue
    supports.push({
      segment: { startIndex: bytesTo(text, start), endIndex: bytesTo(text, end), text: text.slice(start, end) },
      groundingChunkIndices: [source.index],
    })
  }
  return {
    groundingMetadata: {
      groundingChunks: [...sources.values()].map(({ chunk }) => chunk),
      ...(supports.length > 0 && { groundingSupports: supports }),
    },
  }
}

interface Source {
  readonly url: string | undefined
  readonly title: string | undefined
  readonly quote: string | undefined
}

function chunkOf({ url, title, quote }: Source): JsonObject {
  const facts = { ...(url !== undefined && { uri: url }), ...(title !== undefined && { title }) }
  return quote === undefined ? { web: facts } : { retrievedContext: { ...facts, text: quote } }
}

const bytesTo = (text: string, end: number): number => Buffer.byteLength(text.slice(0, end))
