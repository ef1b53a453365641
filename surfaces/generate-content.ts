import { type Call, defineSurface } from 'deflector'
import { chatSurface } from 'deflector/facets/chat-surface'
import { generateContent, keyed, listed, placesOf } from 'deflector/formats/generate-content'
import { z } from 'zod'

/** `:countTokens` is for a flow of its own. */
const METHODS = ['generateContent', 'streamGenerateContent', 'embedContent', 'batchEmbedContents']

export default defineSurface({
  name: 'generate-content',
  needsFlow: true,
  operations: ['chat'], // lint would ask for a provider of the others, and most chains have none
  summary: 'POST /v1beta/models/{model}:generateContent, as Gemini CLI and Google clients speak',
  options: z.strictObject({
    namespace: z
      .string()
      .min(1)
      .default('generate-content')
      .describe('cache namespace; surfaces with the same one share answers'),
  }),
  apply(host, { namespace }) {
    host.offer(chatSurface, { format: generateContent, namespace, inspect: host.inspect })
    host.dialect('/v1beta/', generateContent)
    const serve = (call: Call): Promise<void> =>
      host.serve(keyed(call), wantsList(call) ? listed(generateContent) : generateContent, { namespace })
    for (const place of METHODS.flatMap(placesOf)) host.route('POST', place, serve, { format: generateContent })
  },
})

/** Without `alt=sse` a stream is one JSON list. */
const wantsList = ({ query }: Call): boolean => (query.get('alt') ?? query.get('$alt')) !== 'sse'
