import { type Citation, isObject, type JsonObject, type TokenLogprob } from 'deflector'

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

/** `undefined` for a citation without a page, which this format has no kind for. `length` is that of the text so far. */
export function encodeAnnotation({ url, title, start, end }: Citation, length: number): JsonObject | undefined {
  if (url === undefined) return undefined
  return { type: 'url_citation', url, title: title ?? '', start_index: start ?? 0, end_index: end ?? length }
}

/** `undefined` where there are none. */
export function decodeLogprobs(given: unknown): readonly TokenLogprob[] | undefined {
  const list = Array.isArray(given) ? given.flatMap(each => decodeLogprob(each) ?? []) : []
  return list.length === 0 ? undefined : list
}

function decodeLogprob(given: unknown): TokenLogprob | undefined {
  if (!isObject(given) || typeof given.token !== 'string' || typeof given.logprob !== 'number') return undefined
  const top = Array.isArray(given.top_logprobs) ? given.top_logprobs.flatMap(each => decodeLogprob(each) ?? []) : []
  return {
    token: given.token,
    logprob: given.logprob,
    ...(top.length > 0 && { top: top.map(({ token, logprob }) => ({ token, logprob })) }),
  }
}

const withBytes = ({ token, logprob }: Pick<TokenLogprob, 'token' | 'logprob'>): JsonObject => ({
  token,
  bytes: [...Buffer.from(token)],
  logprob,
})

export const encodeLogprob = (given: TokenLogprob): JsonObject => ({
  ...withBytes(given),
  top_logprobs: (given.top ?? []).map(withBytes),
})
