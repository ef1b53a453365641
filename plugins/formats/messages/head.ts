import { type HeadCall, isObject, type JsonObject, type PromptHead } from 'deflector'
import { z } from 'zod'
import { badRequest, checked, optional } from '../body.ts'
import { dialectQuery } from '../dialect-query.ts'
import { promptHead } from '../prompt-head.ts'
import { stateOf } from './state.ts'

const head = z.compile(
  z.looseObject({
    model: optional(z.string().min(1)),
    stream: optional(z.boolean()),
    messages: z.array(z.looseObject({ role: z.string() })),
  }),
)

/**
 * The facts that every request needs. What else the body holds is the vendor's to judge; `max_tokens` too, because
 * the vendor may be one that does without. `metadata.user_id` is no session: agents put a fresh id into it each run.
 */
export function readHead(body: unknown, { query }: HeadCall): PromptHead {
  const { model, stream, messages } = checked(head, body)
  const object = body as JsonObject
  // A thread may go on where it stopped, with nothing new to say.
  if (messages.length === 0 && !isObject(object.thread)) throw badRequest('messages', 'must not be empty')
  return promptHead(object, { model, stream, state: stateOf(object), ...dialectQuery(query) })
}
