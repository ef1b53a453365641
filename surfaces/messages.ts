import { defineSurface } from 'deflector'
import { chatSurface } from 'deflector/facets/chat-surface'
import { messages } from 'deflector/formats/messages'
import { z } from 'zod'

export default defineSurface({
  name: 'messages',
  needsFlow: true,
  operations: ['chat'],
  summary: 'POST /v1/messages, as Claude Code and Anthropic clients speak',
  options: z.strictObject({
    namespace: z
      .string()
      .min(1)
      .default('messages')
      .describe('cache namespace; surfaces with the same one share answers'),
  }),
  apply(host, { namespace }) {
    host.offer(chatSurface, { format: messages, namespace, inspect: host.inspect })
    host.dialect('/v1/messages', messages)
    host.route('POST', '/v1/messages', call => host.serve(call, messages, { namespace }), { format: messages })
  },
})
