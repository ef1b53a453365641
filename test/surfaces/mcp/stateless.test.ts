import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { ACCEPT, missing } from './client.ts'

const VERSION = '2026-07-28'
const KEY = 'a-gateway-key'
const context: { gateway?: TestGateway } = {}

test.before(async () => {
  context.gateway = await startGateway({ settings: { SERVICE__GATEWAY_API_KEY: KEY } })
})
test.after(() => context.gateway?.close())

const gateway = (): TestGateway => context.gateway ?? missing('gateway')

/** One request as a client of this version sends it; `headers` replace its own. */
async function ask(method: string, params: object = {}, headers: Readonly<Record<string, string>> = {}) {
  const _meta = { 'io.modelcontextprotocol/protocolVersion': VERSION }
  const given = { ...ACCEPT, 'mcp-protocol-version': VERSION, 'mcp-method': method, ...headers }
  return gateway().post('/mcp', { jsonrpc: '2.0', id: 'a', method, params: { _meta, ...params } }, given)
}

test('server/discover says what is here', async () => {
  const { status, json, headers } = await ask('server/discover')
  assert.is(status, 200)
  assert.is(json.id, 'a')
  const { resultType, supportedVersions, capabilities, instructions, _meta } = json.result
  assert.is(resultType, 'complete')
  assert.equal(supportedVersions, [VERSION])
  assert.equal(capabilities, { tools: {} })
  assert.match(instructions, /service_chat/)
  assert.is(_meta['io.modelcontextprotocol/serverInfo'].name, 'deflector')
  assert.is(headers.get('mcp-session-id'), null)
})

test('server/discover alone, without headers and fields, is understood', async () => {
  const { status, json } = await gateway().post('/mcp/', { jsonrpc: '2.0', id: 1, method: 'server/discover' })
  assert.is(status, 200)
  assert.equal(json.result.supportedVersions, [VERSION])
})

test('tools are listed and called without a session', async () => {
  const { json } = await ask('tools/list')
  assert.equal(
    json.result.tools.map(({ name }: { name: string }) => name),
    ['service_chat', 'service_cache_store'],
  )
  const call = async (name: string, args: object, headers = {}) =>
    (await ask('tools/call', { name, arguments: args }, { 'mcp-name': name, ...headers })).json.result
  const key = { 'x-api-key': KEY }
  const miss = { resultType: 'complete', content: [{ type: 'text', text: '' }] }
  assert.equal(await call('service_chat', { prompt: 'a heron?' }, key), miss)
  await call('service_cache_store', { prompt: 'a heron?', response: 'a bird' }, key)
  assert.is((await call('service_chat', { prompt: 'a heron?' }, key)).content[0].text, 'a bird')
  assert.equal(await call('service_chat', { prompt: 'a heron?' }), miss, 'without the key it is another namespace')
  assert.is((await gateway().post('/api/chat', { prompt: 'a heron?' }, key)).json.message, 'a bird')
  assert.is((await call('service_chat', {})).isError, true)
})

test('the same tools are told as in a session', async () => {
  const stateless = (await ask('tools/list')).json.result.tools
  const began = await gateway().post(
    '/mcp',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    },
    ACCEPT,
  )
  const headers = { ...ACCEPT, 'mcp-session-id': began.headers.get('mcp-session-id') ?? '' }
  const { json } = await gateway().post('/mcp', { jsonrpc: '2.0', id: 2, method: 'tools/list' }, headers)
  assert.equal(json.result.tools, stateless)
})

test('a notification has a 202', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } })
  const reply = await gateway().send('/mcp', body, { ...ACCEPT, 'mcp-protocol-version': VERSION })
  assert.is(reply.status, 202)
  assert.is(reply.text, '')
})

test('a method that is not known is a 404 with its code', async () => {
  const { status, json } = await ask('prompts/list')
  assert.is(status, 404)
  assert.is(json.error.code, -32601)
  assert.is(json.id, 'a')
})

test('a version that is not spoken is a 400 that lists those that are', async () => {
  const { status, json } = await ask('tools/list', { _meta: {} }, { 'mcp-protocol-version': '2099-01-01' })
  assert.is(status, 400)
  assert.is(json.error.code, -32022)
  assert.is(json.error.data.requested, '2099-01-01')
  for (const version of [VERSION, '2025-11-25', '2025-06-18']) assert.ok(json.error.data.supported.includes(version))
})

test('headers that contradict the body are a 400', async () => {
  const replies = [
    await ask('tools/list', {}, { 'mcp-method': 'tools/call' }),
    await ask('tools/call', { name: 'service_cache_store' }, { 'mcp-name': 'service_chat' }),
    await ask('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2025-11-25' } }),
  ]
  for (const { status, json } of replies) {
    assert.is(status, 400)
    assert.is(json.error.code, -32020)
  }
})

test('a tool that is not there is an error of the protocol', async () => {
  assert.is((await ask('tools/call', { name: 'service_nothing' })).json.error.code, -32602)
  assert.is((await ask('tools/call', {})).json.error.code, -32602)
})

test.run()
