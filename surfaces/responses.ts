import { defineSurface } from 'deflector'
import { chatSurface } from 'deflector/facets/chat-surface'
import { responses } from 'deflector/formats/responses'
import { z } from 'zod'

export default defineSurface({
  name: 'responses',
  needsFlow: true,
  operations: ['chat'],
  summary: 'POST /v1/responses, as Codex and newer OpenAI clients speak',
  options: z.strictObject({
    namespace: z
      .string()
      .min(1)
      .default('responses')
      .describe('cache namespace; surfaces with the same one share answers'),
  }),
  apply(host, { namespace }) {
    host.offer(chatSurface, { format: responses, namespace, inspect: host.inspect })
    host.dialect('/v1/responses', responses)
    host.route('POST', '/v1/responses', call => host.serve(call, responses, { namespace }), { format: responses })
  },
})
