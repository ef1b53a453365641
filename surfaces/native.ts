import { defineSurface } from 'deflector'
import { chatSurface } from 'deflector/facets/chat-surface'
import { native } from 'deflector/formats/native'
import { z } from 'zod'

export default defineSurface({
  name: 'native',
  needsFlow: true,
  operations: ['chat'],
  summary: 'POST /api/chat and /api/v1/chat: a prompt in, a message out',
  options: z.strictObject({
    namespace: z
      .string()
      .min(1)
      .default('native')
      .describe('cache namespace; surfaces with the same one share answers'),
  }),
  apply(host, { namespace }) {
    host.offer(chatSurface, { format: native, namespace, inspect: host.inspect })
    for (const path of ['/api/chat', '/api/v1/chat']) {
      host.route('POST', path, call => host.serve(call, native, { namespace }), { format: native })
    }
  },
})
