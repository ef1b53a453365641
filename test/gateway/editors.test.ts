import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

/** What editors send to the chat-completions route: their own headers, always a stream, tools of several dialects. */

const CURSOR = { 'x-cursor-checksum': 'zoA0', 'x-cursor-client-version': '2.1.0', 'x-ghost-mode': 'true' }
const KIRO = { 'x-kiro-version': '0.8.1', 'x-kiro-client-id': 'c1' }
const SCHEMA = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }

const question = { role: 'user', content: 'What is in a.ts?' }
const flat = { type: 'function', name: 'read_file', description: 'Reads.', parameters: SCHEMA, strict: false }
const anthropic = { name: 'read_file', description: 'Reads.', input_schema: SCHEMA }
const own = { type: 'function', function: { name: 'read_file', description: 'Reads.', parameters: SCHEMA } }

/** A second turn as Cursor sends it: call and result as blocks of the messages format. */
const history = [
  { role: 'system', content: 'You edit.' },
  { role: 'user', content: [{ type: 'text', text: 'What is in a.ts?' }] },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a.ts' } },
    ],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: '1' }] }] },
]

async function before(provider: string): Promise<{ gateway: TestGateway; upstream: Upstream }> {
  const upstream = await startUpstream()
  // The wire alone is looked at: nothing is shortened on the way.
  const settings = { SERVICE__ENABLE_CONTEXT_OPTIMIZER: 'false' }
  return { upstream, gateway: await startGateway({ upstream, provider, settings }) }
}
const ask = (gateway: TestGateway, body: object, headers: Record<string, string>) =>
  gateway.send('/v1/chat/completions', JSON.stringify({ model: 'm', stream: true, ...body }), headers)

test('tools of any dialect reach a chat-completions vendor as its own', async () => {
  const { gateway, upstream } = await before('openai')
  for (const [i, tool] of [flat, anthropic, own].entries()) {
    const reply = await ask(gateway, { messages: [question], tools: [tool], temperature: 0.1 }, CURSOR)
    assert.is(reply.status, 200)
    assert.match(reply.text, 'data: [DONE]')
    const { tools, temperature } = upstream.calls[i]?.body ?? {}
    const [{ function: given } = { function: undefined }] = tools as { function?: Record<string, unknown> }[]
    assert.equal(
      [given?.name, given?.description, given?.parameters, temperature],
      ['read_file', 'Reads.', SCHEMA, 0.1],
    )
  }
  await gateway.close()
})

test('a choice of another dialect is translated with them', async () => {
  const { gateway, upstream } = await before('openai')
  const choices = [{ type: 'any' }, { type: 'tool', name: 'read_file' }, { type: 'function', name: 'read_file' }]
  for (const tool_choice of choices)
    await ask(gateway, { messages: [question], tools: [anthropic], tool_choice }, CURSOR)
  const named = { type: 'function', function: { name: 'read_file' } }
  assert.equal(
    upstream.calls.map(({ body }) => body?.tool_choice),
    ['required', named, named],
  )
  await gateway.close()
})

test('calls and results as blocks become calls and tool messages, and what else there is stays', async () => {
  const { gateway, upstream } = await before('openai')
  const body = { messages: history, tools: [flat], my_own_field: [1.0] }
  assert.is((await ask(gateway, body, CURSOR)).status, 200)
  const sent = upstream.calls[0]?.body
  assert.equal(sent?.my_own_field, [1])
  const messages = sent?.messages as Record<string, unknown>[]
  assert.equal(
    messages.map(({ role }) => role),
    ['system', 'user', 'assistant', 'tool'],
  )
  assert.equal(messages[2]?.tool_calls, [
    { id: 'toolu_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.ts"}' } },
  ])
  assert.equal([messages[3]?.tool_call_id, messages[3]?.content], ['toolu_1', '1'])
  await gateway.close()
})

test('the same bodies reach a messages vendor', async () => {
  const { gateway, upstream } = await before('anthropic')
  assert.is((await ask(gateway, { messages: history, tools: [flat] }, CURSOR)).status, 200)
  const { tools, messages, system } = upstream.calls[0]?.body ?? {}
  assert.match(JSON.stringify(system), 'You edit.')
  assert.equal((tools as { name: string; input_schema: unknown }[])[0]?.input_schema, SCHEMA)
  assert.match(JSON.stringify(messages), '"tool_use_id":"toolu_1"')
  await gateway.close()
})

test('a body in its own dialect passes byte for byte', async () => {
  const { gateway, upstream } = await before('openai')
  const body = `{"model":"m", "messages":[{"role":"user","content":"hi"}],"tools":[${JSON.stringify(own)}] }`
  assert.is((await gateway.send('/v1/chat/completions', body, CURSOR)).status, 200)
  assert.is(upstream.calls[0]?.raw.toString(), body)
  await gateway.close()
})

test('each editor has a cache of its own, apart from the plain surface, in the same stream format', async () => {
  const { gateway, upstream } = await before('openai')
  const layers: (string | null)[] = []
  for (const headers of [{}, CURSOR, KIRO, { 'x-kiro-version': '1' }, { 'x-ghost-mode': 'false' }]) {
    const reply = await ask(gateway, { messages: [question] }, headers)
    assert.ok(reply.text.trimEnd().endsWith('data: [DONE]'))
    layers.push(reply.headers.get('x-service-layer'))
  }
  assert.equal(layers, ['l3', 'l3', 'l3', 'l1a', 'l1a'])
  assert.is(upstream.calls.length, 3)
  await gateway.close()
})

test('their other calls are those of everybody', async () => {
  const { gateway } = await before('openai')
  for (const headers of [CURSOR, KIRO]) assert.is((await gateway.get('/v1/models', headers)).status, 200)
  await gateway.close()
})

test.run()
