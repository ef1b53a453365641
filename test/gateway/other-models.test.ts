import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** An outage of a model that thinks as it likes, and fallbacks that think otherwise or not at all. */

test('a tool loop that began at a fallback goes on at a vendor that would want its reasoning', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider: 'anthropic' })
  const call = { type: 'tool_use', id: 'c', name: 'f', input: {} }
  const asked = {
    model: 'claude-opus-4-5',
    max_tokens: 4000,
    tools: [{ name: 'f', input_schema: { type: 'object' } }],
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [call] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'done' }] },
    ],
  }
  const thinking = { type: 'enabled', budget_tokens: 2000 }
  await gateway.send('/v1/messages', JSON.stringify({ ...asked, thinking }))
  assert.equal(upstream.calls[0]?.body, asked)
  await gateway.close()
})

test.run()
