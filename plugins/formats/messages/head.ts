import type { HeadCall, JsonObject, PromptHead } from 'deflector'
import { z } from 'zod'
import { checked, optional } from '../body.ts'
import { dialectQuery } from '../dialect-query.ts'
import { sessionOf } from '../session-id.ts'

const head = z.compile(
  z.looseObject({
    model: optional(z.string().min(1)),
    stream: optional(z.boolean()),
    messages: z.array(z.looseObject({ role: z.string() })).min(1),
  }),
)

/**
 * The facts that every request needs. What else the body holds is the vendor's to judge; `max_tokens` too, because
 * the vendor may be one that does without. `metadata.user_id` is no session: agents put a fresh id into it each run.
 */
export function readHead(body: unknown, { query }: HeadCall): PromptHead {
  const { model, stream } = checked(head, body)
  const object = body as JsonObject
  const session = sessionOf(object)
  return {
    body: object,
    stream: stream ?? false,
    ...(model !== undefined && { model }),
    ...(session !== undefined && { session }),
    ...dialectQuery(query),
  }
}
