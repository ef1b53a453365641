import { type Citation, isObject, type JsonObject } from 'deflector'

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** A web page that is cited; `undefined` for what else an annotation can be (files of the vendor's own). */
export function decodeAnnotation(annotation: unknown): Citation | undefined {
  if (!isObject(annotation) || annotation.type !== 'url_citation') return undefined
  const url = textOf(annotation.url)
  const title = textOf(annotation.title)
  const start = numberOf(annotation.start_index)
  const end = numberOf(annotation.end_index)
  return {
    ...(url !== undefined && { url }),
    ...(title !== undefined && { title }),
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
  }
}

/**
 * `undefined` for a citation without a page, which this format has no kind for. Its text begins at `from` in that of the
 * part, which is `length` characters so far.
 */
export function encodeAnnotation(
  { url, title, start = 0, end }: Citation,
  from: number,
  length: number,
): JsonObject | undefined {
  if (url === undefined) return undefined
  const end_index = end === undefined ? length : from + end
  return { type: 'url_citation', url, title: title ?? '', start_index: from + start, end_index }
}

export { decodeLogprobs, encodeLogprob } from '../logprobs.ts'
