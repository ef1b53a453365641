import { defineSurface } from 'deflector'
import { chatSurface } from 'deflector/facets/chat-surface'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { z } from 'zod'

export default defineSurface({
  name: 'chat-completions',
  needsFlow: true,
  operations: ['chat'],
  summary: 'POST /v1/chat/completions, as OpenAI clients and most editors speak',
  options: z.strictObject({
    namespace: z
      .string()
      .min(1)
      .default('chat-completions')
      .describe('cache namespace; surfaces with the same one share answers'),
    when_headers: z
      .array(z.string().min(1).toLowerCase())
      .default([])
      .describe(
        'takes only calls with at least one of these headers; empty takes every call that no other instance takes',
      ),
  }),
  apply(host, { namespace, when_headers: names }) {
    host.offer(chatSurface, { format: chatCompletions, namespace, inspect: host.inspect })
    host.dialect('/v1/', chatCompletions)
    host.route('POST', '/v1/chat/completions', call => host.serve(call, chatCompletions, { namespace }), {
      format: chatCompletions,
      ...(names.length > 0 && { when: headers => names.some(name => headers[name] !== undefined) }),
    })
  },
})
