import { type HeadCall, isObject, type PromptHead } from 'deflector'
import { z } from 'zod'
import { checked, optional } from '../body.ts'
import { dialectQuery } from '../dialect-query.ts'
import { promptHead } from '../prompt-head.ts'
import { stateOf } from './state.ts'

const message = z.custom<{ role: string }>(value => isObject(value), 'must be an object')

const head = z.compile(
  z.object({
    messages: z.array(message, 'must be an array').min(1, 'must not be empty'),
    model: optional(z.string('must be a string')),
    stream: optional(z.boolean('must be a boolean')),
  }),
)

const role = z.string('must be a string')

/** Checks no more than every request needs: a vendor knows its own fields better than we do. */
export function readHead(body: unknown, { query }: HeadCall): PromptHead {
  if (!isObject(body)) checked(z.record(z.string(), z.unknown(), 'must be a JSON object'), body)
  const { messages, model, stream } = checked(head, body)
  for (const [index, each] of messages.entries()) checked(role, each.role, `messages[${index}].role`)
  const known = isObject(body) ? body : {}
  return promptHead(known, { model, stream, state: stateOf(known), ...dialectQuery(query) })
}
