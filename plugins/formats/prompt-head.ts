import type { JsonObject, PromptHead } from 'deflector'
import { sessionOf } from './session-id.ts'

/** What a dialect has read of a head; `undefined` is what the request does not say. */
type Facts = { readonly [Fact in Exclude<keyof PromptHead, 'body' | 'session'>]?: PromptHead[Fact] | undefined }

/** The head of a request, with the session id in its body. Throws `bad_request` for an id that is none. */
export function promptHead(body: JsonObject, { model, stream = false, operation, state, query }: Facts): PromptHead {
  const session = sessionOf(body)
  return {
    body,
    stream,
    ...(model !== undefined && { model }),
    ...(session !== undefined && { session }),
    ...(operation !== undefined && { operation }),
    ...(state && { state }),
    ...(query !== undefined && { query }),
  }
}
