import { defineSurface } from 'deflector'
import { embeddings } from 'deflector/formats/embeddings'
import { z } from 'zod'

export default defineSurface({
  name: 'embeddings',
  needsFlow: true,
  // Names no operations: with a primary that does not embed it refuses each call, and that is no fault of the file.
  summary: 'POST /v1/embeddings: vectors from the first provider that makes some',
  options: z.strictObject({
    namespace: z
      .string()
      .min(1)
      .default('embeddings')
      .describe('cache namespace; surfaces with the same one share answers'),
  }),
  apply(host, { namespace }) {
    host.route('POST', '/v1/embeddings', call => host.serve(call, embeddings, { namespace }), { format: embeddings })
  },
})
