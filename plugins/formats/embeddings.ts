import { type Dialect, isObject } from 'deflector'
import { z } from 'zod'
import { checked, optional } from './body.ts'
import { chatCompletions } from './chat-completions.ts'
import { dialectQuery } from './dialect-query.ts'
import { promptHead } from './prompt-head.ts'

const { name, encodeError, encodeStreamError, framing } = chatCompletions

/** The operation of a request for vectors. */
export const EMBEDDINGS = 'embeddings'

const text = z.union([z.string().min(1), z.number()])
const head = z.compile(
  z.looseObject({
    model: optional(z.string('must be a string').min(1, 'must not be empty')),
    input: z.union(
      [z.string().min(1), z.array(z.union([text, z.array(z.number()).min(1)])).min(1)],
      'must be a text, a list of texts or lists of tokens, and not be empty',
    ),
  }),
)

/** OpenAI's embeddings, `POST /v1/embeddings`: vectors are asked for and told in the errors of chat completions. */
export const embeddings: Dialect = {
  name,
  readHead(given, { query }) {
    const { model } = checked(head, given)
    return promptHead(isObject(given) ? given : {}, { model, operation: EMBEDDINGS, ...dialectQuery(query) })
  },
  encodeError,
  encodeStreamError,
  framing,
}
