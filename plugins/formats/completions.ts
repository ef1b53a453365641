import { type ChatFormat, isObject, type JsonObject } from 'deflector'
import { z } from 'zod'
import { checked, optional } from './body.ts'
import { chatCompletions } from './chat-completions.ts'
import { CompletionsStreamDecoder } from './completions/stream-decoder.ts'
import { dialectQuery } from './dialect-query.ts'
import { answersOf, outputCap } from './output-cap.ts'
import { promptHead } from './prompt-head.ts'

/** The operation of a request that has its text continued. */
export const COMPLETIONS = 'completions'

const head = z.compile(
  z.looseObject({
    model: optional(z.string('must be a string').min(1, 'must not be empty')),
    stream: optional(z.boolean('must be a boolean')),
    prompt: z.union([z.string(), z.array(z.unknown())], 'must be a text or a list').nullish(),
  }),
)

/**
 * OpenAI's text completions, `POST /v1/completions`, older than conversations. They go to vendors that have them and come
 * back as they are: a raw prompt means something else than a conversation of one turn. All but the request's head and
 * the stream's events is as in chat completions.
 */
export const completions: ChatFormat = {
  ...chatCompletions,
  readHead(given, { query }) {
    const { model, stream } = checked(head, given)
    const body = isObject(given) ? given : {}
    return promptHead(body, { model, stream, operation: COMPLETIONS, ...dialectQuery(query) })
  },
  outputCap: body => outputCap(body.max_tokens, answersIn(body)),
  choices: answersIn,
  streamDecoder: () => new CompletionsStreamDecoder(),
  passFrame: ({ wire }) => wire,
}

/** The vendor writes the best of several for each prompt, and bills them all. */
function answersIn({ n, best_of, prompt }: JsonObject): number {
  return Math.max(answersOf(n), answersOf(best_of)) * promptsIn(prompt)
}

/** A list of texts, or of lists of tokens, is as many prompts; a list of tokens is one. */
const promptsIn = (prompt: unknown): number =>
  Array.isArray(prompt) && typeof prompt[0] !== 'number' ? Math.max(1, prompt.length) : 1
