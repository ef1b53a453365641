import { type ChatFormat, defineSurface, GatewayError, type PromptHead } from 'deflector'
import { chatSurface } from 'deflector/facets/chat-surface'
import { responses, responsesOperations, stateOfResponse } from 'deflector/formats/responses'
import { z } from 'zod'

const PATH = '/v1/responses'

export default defineSurface({
  name: 'responses',
  needsFlow: true,
  operations: ['chat'],
  summary: 'POST /v1/responses and what is asked beside it, as Codex and newer OpenAI clients speak',
  options: z.strictObject({
    namespace: z
      .string()
      .min(1)
      .default('responses')
      .describe('cache namespace; surfaces with the same one share answers'),
    chain: z.array(z.string()).default([]).describe('providers that may hold responses, by instance name'),
    store: z
      .boolean()
      .default(true)
      .describe('whether vendors keep answers; false where providers are told to keep none'),
  }),
  apply(host, { namespace, chain, store }) {
    const format = store ? responses : unstored
    const providers = chain.map(name => host.provider(name))
    host.offer(chatSurface, { format, namespace, inspect: host.inspect })
    host.dialect(PATH, format)
    host.route('POST', PATH, call => host.serve(call, format, { namespace }), { format })
    for (const { operation, method, path, dialect } of responsesOperations)
      host.route(
        method,
        PATH + path,
        async call => {
          if (providers.some(provider => provider.operations?.includes(operation)))
            return host.serve(call, dialect, { namespace })
          return host.admit(call, () => {
            throw new GatewayError('not_found', NONE_KEEPS, { param: 'response_id' })
          })
        },
        { format: dialect },
      )
  },
})

const NONE_KEEPS =
  'no provider here keeps responses: only those of the responses format do; set llm_provider, or the provider of an entry of fallback_providers, to one such as openai-responses'

/** Where vendors keep nothing, an answer is no state: it is cached as on any other surface. */
const unstored: ChatFormat = {
  ...responses,
  readHead(body, call) {
    const { state: _, ...head }: PromptHead = responses.readHead(body, call)
    const state = stateOfResponse({ ...head.body, store: false })
    return { ...head, ...(state && { state }) }
  },
}
