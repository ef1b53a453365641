import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** What a vendor does beyond its answer is done each time it is asked for, and never just told of again. */

const layerOf = ({ headers }: { readonly headers: Headers }) => headers.get('x-service-layer')

const mcp = {
  type: 'mcp',
  server_label: 'tickets',
  server_url: 'https://tickets.example/mcp',
  require_approval: 'never',
}
const messages = [{ role: 'user', content: 'open a ticket' }]

const SERVED = [
  {
    what: 'responses',
    provider: 'openai-responses',
    path: '/v1/responses',
    body: { model: 'm', store: false, input: 'open a ticket', tools: [mcp] },
  },
  {
    what: 'kept responses',
    provider: 'openai-responses',
    path: '/v1/responses',
    body: { model: 'm', input: 'open a ticket', tools: [{ type: 'function', name: 'f', parameters: {} }, mcp] },
  },
  {
    what: 'chat completions',
    provider: 'openai',
    path: '/v1/chat/completions',
    body: { model: 'm', messages, tools: [mcp] },
  },
  {
    what: 'messages',
    provider: 'anthropic',
    path: '/v1/messages',
    body: { model: 'm', max_tokens: 9, messages, mcp_servers: [{ type: 'url', name: 't', url: 'https://t.example' }] },
  },
  {
    what: 'generate-content',
    provider: 'gemini',
    path: '/v1beta/models/m:generateContent',
    body: { contents: [{ parts: [{ text: 'open a ticket' }] }], tools: [{ mcpServers: [{ name: 't' }] }] },
  },
]

for (const { what, provider, path, body } of SERVED)
  test(`${what}: a request with MCP servers is neither joined nor looked up, and no stale answer stands in`, async () => {
    const upstream = await startUpstream()
    const settings = { SERVICE__CACHE_MODE: 'both' }
    const gateway = await startGateway({ upstream, provider, settings })
    upstream.script({ delayMs: 50 }, { delayMs: 50 })
    for (const each of await Promise.all([gateway.post(path, body), gateway.post(path, body)]))
      assert.equal([each.status, layerOf(each)], [200, 'l3'], each.text)
    assert.is(layerOf(await gateway.post(path, body)), 'l3')
    assert.is(upstream.calls.length, 3)
    upstream.script({ status: 500 })
    const failed = await gateway.post(path, body)
    assert.ok(failed.status >= 500, 'no old answer')
    assert.is(upstream.calls.length, 4, 'the vendor may have acted before it failed')
    await gateway.close()
  })

test('a stream that breaks off behind MCP servers is not asked for again', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider: 'openai-responses' })
  upstream.script({ text: 'I opened the ticket and', dieAfter: 5 })
  const asked = { model: 'm', store: false, stream: true, input: 'open a ticket', tools: [mcp] }
  await gateway.send('/v1/responses', JSON.stringify(asked))
  assert.is(upstream.calls.length, 1)
  await gateway.close()
})

const said = (text: string) => ({
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
})
const responseWith = (...output: object[]) => ({
  json: { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'completed', output, store: false },
})
const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } }
const called = { type: 'mcp_call', id: 'mcp_1', server_label: 't', name: 'create', arguments: '{}', output: '17' }
const shell = { type: 'shell_call', id: 'sh_1', call_id: 'c', status: 'completed', action: { commands: ['rm a'] } }
const ran = { type: 'shell_call_output', id: 'so_1', call_id: 'c', output: [{ stdout: '', stderr: '' }] }
const code = { type: 'code_interpreter_call', id: 'ci_1', container_id: 'cntr_1', code: 'f()', outputs: null }

for (const [what, items, layer] of [
  ['a call of an MCP server', [called], 'l3'],
  ['a shell of its own', [shell, ran], 'l3'],
  ['code in a container', [code], 'l3'],
  ['a search', [search], 'l1a'],
] as const)
  test(`responses: what tells of ${what} ${layer === 'l3' ? 'is not kept' : 'is kept'}`, async () => {
    const upstream = await startUpstream()
    const gateway = await startGateway({ upstream, provider: 'openai-responses' })
    const body = { model: 'm', store: false, input: 'do it' }
    upstream.script(responseWith(...items, said('done')), responseWith(...items, said('done')))
    await gateway.post('/v1/responses', body)
    assert.is(layerOf(await gateway.post('/v1/responses', body)), layer)
    await gateway.close()
  })

for (const [what, block, layer] of [
  ['a call of an MCP server', { type: 'mcp_tool_use', id: 't', name: 'create', server_name: 's', input: {} }, 'l3'],
  ['code in a container', { type: 'server_tool_use', id: 't', name: 'bash_code_execution', input: {} }, 'l3'],
  ['a search', { type: 'server_tool_use', id: 't', name: 'web_search', input: { query: 'q' } }, 'l1a'],
] as const)
  for (const stream of [false, true])
    test(`messages: what tells of ${what} is ${layer === 'l3' ? 'not ' : ''}kept (${stream ? 'streamed' : 'whole'})`, async () => {
      const upstream = await startUpstream()
      const gateway = await startGateway({ upstream, provider: 'anthropic' })
      const content = [block, { type: 'text', text: 'done' }]
      const usage = { input_tokens: 1, output_tokens: 1 }
      const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', usage }
      const event = (type: string, more: object): string =>
        `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
      const sse = [
        event('message_start', { message: { ...head, content: [] } }),
        ...content.flatMap((content_block, index) => [
          event('content_block_start', { index, content_block }),
          event('content_block_stop', { index }),
        ]),
        event('message_delta', { delta: { stop_reason: 'end_turn' }, usage }),
        event('message_stop', {}),
      ]
      const reply = stream ? { sse } : { json: { ...head, content, stop_reason: 'end_turn' } }
      upstream.script(reply, reply)
      const asked = JSON.stringify({ model: 'm', max_tokens: 9, messages, stream })
      const first = await gateway.send('/v1/messages', asked)
      assert.is(first.status, 200, first.text)
      assert.is(layerOf(await gateway.send('/v1/messages', asked)), layer)
      await gateway.close()
    })

test('a vendor of another dialect goes without them, where the setting says so', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, settings: { SERVICE__HOSTED_TOOLS: 'drop' } })
  for (const tool of [mcp, { type: 'code_interpreter', container: { type: 'auto' } }]) {
    const { status, text } = await gateway.post('/v1/responses', {
      model: 'm',
      store: false,
      input: 'hi',
      tools: [tool],
    })
    assert.is(status, 200, text)
  }
  await gateway.close()
})

test.run()
