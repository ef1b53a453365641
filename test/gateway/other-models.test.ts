import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** An outage of a model that thinks as it likes, and fallbacks that think otherwise or not at all. */

test('a fallback of the same vendor is asked in its own words', async () => {
  const [upstream, backup] = [await startUpstream(), await startUpstream()]
  const fallback = [{ provider: 'anthropic', url: backup.url, api_key: 'backup-key', model: 'claude-haiku-4-5' }]
  const gateway = await startGateway({
    upstream,
    provider: 'anthropic',
    settings: { SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallback), SERVICE__RETRY_PATIENCE_SECS: '0' },
  })
  upstream.script(() => ({ status: 529 }))
  const asked = {
    model: 'claude-opus-4-8',
    max_tokens: 100_000,
    messages: [{ role: 'user', content: 'hi' }],
    thinking: { type: 'adaptive' },
    output_config: { effort: 'xhigh' },
  }
  const reply = await gateway.send('/v1/messages', JSON.stringify(asked))
  assert.is(reply.status, 200, reply.text)
  assert.equal(upstream.calls[0]?.body, asked)
  assert.equal(backup.calls[0]?.body, {
    model: 'claude-haiku-4-5',
    max_tokens: 64_000,
    messages: asked.messages,
    thinking: { type: 'enabled', budget_tokens: 57_600 },
  })
  await gateway.close()
})

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
