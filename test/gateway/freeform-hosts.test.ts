import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** A free-form tool of a client of another dialect at chat-completions vendors that know it, and at all others. */

const upstream = await startUpstream()
test.before.each(() => upstream.clear())
test.after(() => upstream.close())

const body = {
  model: 'm',
  input: 'patch it',
  tools: [{ type: 'custom', name: 'apply_patch', description: 'Edits files.' }],
}

test('a vendor that takes free-form tools is shown one', async () => {
  const gateway = await startGateway({ upstream, provider: 'openai' })
  await gateway.post('/v1/responses', body)
  assert.equal(upstream.calls[0]?.body?.tools, [
    { type: 'custom', custom: { name: 'apply_patch', description: 'Edits files.' } },
  ])
})

test('any other is shown a function, and its client gets a free-form call all the same', async () => {
  const gateway = await startGateway({ upstream, provider: 'groq' })
  upstream.script({ toolCalls: [{ name: 'apply_patch', arguments: '{"input":"*** \\"x\\""}' }] })
  const { json } = await gateway.post('/v1/responses', body)
  const sent = upstream.calls[0]?.body as { tools: { type: string; function: { name: string } }[] } | undefined
  const tool = sent?.tools[0]
  assert.equal([tool?.type, tool?.function.name], ['function', 'apply_patch'])
  const call = json.output.find(({ type }: { type: string }) => type === 'custom_tool_call')
  assert.equal([call?.name, call?.input], ['apply_patch', '*** "x"'])
})

test.run()
