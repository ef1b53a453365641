import { defineProvider, ProviderError } from 'deflector'
import { responses, responsesOperations, usageOfResponse } from 'deflector/formats/responses'
import { COUNT_TOKENS } from 'deflector/formats/token-count'
import { type HttpOperation, httpOptions, httpProvider, urlSchema } from 'deflector/http-provider'
import { z } from 'zod'
import { isResponse } from './upstream/chat-answer.ts'
import { keepingPatches } from './upstream/keeping.ts'
import { isBelow, responsesUrl } from './upstream/url.ts'

/** Any vendor that speaks the responses format. */
export default defineProvider({
  name: 'responses',
  summary: 'One attempt at a vendor that speaks the responses format.',
  options: z.strictObject({
    ...httpOptions,
    url: urlSchema.default('https://api.openai.com/v1').describe('Base URL (`https://host/v1`) or full responses URL.'),
    key_required: httpOptions.key_required.default(true),
  }),
  apply: (host, options) =>
    httpProvider(host, options, {
      format: responses,
      url: responsesUrl,
      auth: key => ({ authorization: `Bearer ${key}` }),
      patches: keepingPatches(options.store),
      isAnswer: isResponse,
      operations: {
        ...OPERATIONS,
        [COUNT_TOKENS]: {
          url: base => below(responsesUrl(base), '/input_tokens'),
          isAnswer: body => typeof body.input_tokens === 'number',
        },
      },
    }),
})

/** What answers with a response as it is kept: one that failed says why in its `error`. */
const LOOKS: ReadonlySet<string> = new Set(['responses_retrieve', 'responses_cancel'])

const isKept = ({ object, id }: Record<string, unknown>): boolean => object === 'response' && typeof id === 'string'

const OPERATIONS: Readonly<Record<string, HttpOperation>> = Object.fromEntries(
  responsesOperations.map(({ operation, method, path, dialect }) => [
    operation,
    {
      method,
      url: base => below(responsesUrl(base), path),
      ...(dialect.bodiless && { at: (url, { state }) => withId(url, state?.refers[0] ?? ''), patches: () => ({}) }),
      isAnswer: body => typeof body.object === 'string',
      ...(LOOKS.has(operation) && { describes: isKept }),
      // A response that is looked up says what it cost when it was made.
      ...(!dialect.bodiless && { usageOf: usageOfResponse }),
    } satisfies HttpOperation,
  ]),
)

function below(url: URL, path: string): URL {
  url.pathname += path
  return url
}

/** `url` up to `mark`. */
function before(url: URL, mark: string): URL {
  const base = new URL(url)
  base.pathname = base.pathname.slice(0, base.pathname.indexOf(mark))
  return base
}

/** The id is the client's own text, and stays one step of the path. */
function withId(url: URL, id: string): URL {
  const named = new URL(url)
  named.pathname = url.pathname.replace(':id', () => encodeURIComponent(id))
  if (!isBelow(named, before(url, ':id')))
    throw new ProviderError('unsayable', 'the id leads elsewhere', { param: 'response_id' })
  return named
}
