import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { startUpstream, type Upstream } from '../../support/upstream.ts'
import { ACCEPT, connect, httpTransport, INITIALIZE, type McpClient, thrownBy } from './client.ts'

const KEY = 'a-gateway-key'

interface Around {
  readonly gateway: TestGateway
  readonly upstream: Upstream
  client(headers?: Readonly<Record<string, string>>): Promise<McpClient>
}

async function around(settings: Readonly<Record<string, string>>, run: (around: Around) => Promise<void>) {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, settings })
  const clients: McpClient[] = []
  try {
    await run({
      gateway,
      upstream,
      async client(headers) {
        const client = await connect(httpTransport(gateway.url, headers))
        clients.push(client)
        return client
      },
    })
  } finally {
    for (const client of clients) await client.close()
    await gateway.close()
    await upstream.close()
  }
}

test('offers two tools to a client of the SDK', () =>
  around({}, async ({ client }) => {
    const { client: sdk } = await client()
    const { tools } = await sdk.listTools()
    assert.equal(
      tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties ?? {}), inputSchema.required]),
      [
        ['service_chat', ['prompt', 'model'], ['prompt']],
        ['service_cache_store', ['prompt', 'response', 'model'], ['prompt', 'response']],
      ],
    )
    assert.is(sdk.getServerVersion()?.name, 'deflector')
    assert.match(sdk.getInstructions() ?? '', /service_chat/)
  }))

test('a lookup never asks a vendor, and a miss is an empty text', () =>
  around({}, async ({ client, upstream }) => {
    const mcp = await client()
    assert.is(await mcp.chat('nobody asked this'), '')
    assert.is(await mcp.chat('nobody asked this', 'some-model'), '')
    assert.is(upstream.calls.length, 0)
  }))

test('what was stored is a hit for the native chat, and the other way round', () =>
  around({}, async ({ client, gateway, upstream }) => {
    const mcp = await client()
    assert.is(await mcp.store('capital of France?', 'Paris'), 'stored')
    assert.is(await mcp.chat('capital of France?'), 'Paris')
    const hit = await gateway.post('/api/chat', { prompt: 'capital of France?' })
    assert.is(hit.json.message, 'Paris')
    assert.is(hit.headers.get('x-service-layer'), 'l1a')
    assert.is(upstream.calls.length, 0)

    const miss = await gateway.post('/api/chat', { prompt: 'capital of Peru?' })
    assert.is(upstream.calls.length, 1)
    assert.is(await mcp.chat('capital of Peru?'), miss.json.message)
    assert.is(upstream.calls.length, 1)
  }))

test('the cache endpoints share the same entries', () =>
  around({}, async ({ client, gateway }) => {
    const mcp = await client()
    await gateway.post('/api/v1/cache/store', { prompt: 'one', response: 'first' })
    assert.is(await mcp.chat('one'), 'first')
    await mcp.store('two', 'second')
    assert.is((await gateway.post('/api/v1/cache/lookup', { prompt: 'two' })).json.message, 'second')
  }))

test('an entry belongs to its model', () =>
  around({}, async ({ client, gateway }) => {
    const mcp = await client()
    await mcp.store('two plus two', 'four', 'model-a')
    assert.is(await mcp.chat('two plus two', 'model-a'), 'four')
    assert.is(await mcp.chat('two plus two', 'model-b'), '')
    assert.is(await mcp.chat('two plus two'), '')
    assert.is((await gateway.post('/api/chat', { prompt: 'two plus two', model: 'model-a' })).json.message, 'four')
  }))

test('no other surface reads what was stored', () =>
  around({}, async ({ client, gateway, upstream }) => {
    const mcp = await client()
    await mcp.store('hello', 'from mcp')
    await gateway.post('/v1/chat/completions', { messages: [{ role: 'user', content: 'hello' }] })
    assert.is(upstream.calls.length, 1)
  }))

test("with a gateway key, what was stored without it is nobody else's to read", () =>
  around({ SERVICE__GATEWAY_API_KEY: KEY }, async ({ client, gateway, upstream }) => {
    const stranger = await client()
    await stranger.store('the CEO?', 'Mallory')
    assert.is(await stranger.chat('the CEO?'), 'Mallory')
    const holder = await client({ 'x-api-key': KEY })
    assert.is(await holder.chat('the CEO?'), '')
    const lookup = await gateway.send('/api/v1/cache/lookup', '{"prompt":"the CEO?"}', { 'x-api-key': KEY })
    assert.is(lookup.status, 204)
    const chat = await gateway.post('/api/chat', { prompt: 'the CEO?' }, { 'x-api-key': KEY })
    assert.is(chat.headers.get('x-service-layer'), 'l3')
    assert.is(upstream.calls.length, 1)
    assert.is(await stranger.chat('the CEO?'), 'Mallory')
  }))

test('with a gateway key, who has it shares with the native chat and strangers do not', () =>
  around({ SERVICE__GATEWAY_API_KEY: KEY }, async ({ client, gateway }) => {
    for (const [index, headers] of [{ 'x-api-key': KEY }, { authorization: `Bearer ${KEY}` }].entries()) {
      const holder = await client(headers as Record<string, string>)
      await holder.store(`secret ${index}`, 'for holders')
      const hit = await gateway.post('/api/chat', { prompt: `secret ${index}` }, { 'x-api-key': KEY })
      assert.is(hit.headers.get('x-service-layer'), 'l1a')
    }
    await gateway.post('/api/chat', { prompt: 'asked by a holder' }, { 'x-api-key': KEY })
    const stranger = await client()
    for (const prompt of ['secret 0', 'secret 1', 'asked by a holder']) assert.is(await stranger.chat(prompt), '')
  }))

test('nor is it in other words, and a lookup in other words asks no vendor', () =>
  around({ SERVICE__GATEWAY_API_KEY: KEY, SERVICE__CACHE_MODE: 'both' }, async ({ client, gateway, upstream }) => {
    const question = 'What does the HTTP status code 404 mean?'
    const otherwise = [
      'What does HTTP status 404 mean?',
      'What does the 404 HTTP status code mean?',
      'what does http status code 404 mean',
    ]
    const stranger = await client()
    await stranger.store(question, 'Mallory knows')
    for (const wording of otherwise) assert.is(await stranger.chat(wording), 'Mallory knows')
    const holder = await client({ 'x-api-key': KEY })
    for (const wording of [question, ...otherwise]) assert.is(await holder.chat(wording), '')
    assert.is(upstream.calls.length, 0)
    for (const prompt of [question, ...otherwise]) {
      const reply = await gateway.post('/api/chat', { prompt }, { 'x-api-key': KEY })
      assert.is.not(reply.json.message, 'Mallory knows')
    }
    const calls = upstream.calls.length
    await holder.store('Which river flows through Vienna?', 'The Danube')
    assert.is(await holder.chat('which river flows through vienna'), 'The Danube')
    assert.is(await stranger.chat('which river flows through vienna'), '')
    assert.is(upstream.calls.length, calls)
  }))

test('a wrong gateway key refuses no call: /mcp is public, and a 401 would send clients to log in elsewhere', () =>
  around({ SERVICE__GATEWAY_API_KEY: KEY }, async ({ gateway }) => {
    const reply = await gateway.post('/mcp', INITIALIZE, { ...ACCEPT, authorization: 'Bearer wrong' })
    assert.is(reply.status, 200)
    const session = { ...ACCEPT, 'mcp-session-id': reply.headers.get('mcp-session-id') ?? '' }
    const call = {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'service_chat', arguments: { prompt: 'hello' } },
    }
    const told = await gateway.post('/mcp', call, { ...session, authorization: 'Bearer wrong' })
    assert.is(told.status, 200)
    assert.is(told.json.result.isError, true)
    assert.is(told.headers.get('www-authenticate'), null)
  }))

test('a wrong gateway key is told in the result and neither reads nor writes', () =>
  around({ SERVICE__GATEWAY_API_KEY: KEY }, async ({ client }) => {
    const wrong = await client({ 'x-api-key': 'wrong' })
    assert.match(await thrownBy(wrong.chat('hello')), /key is wrong/)
    assert.match(await thrownBy(wrong.store('hello', 'hi')), /key is wrong/)
    assert.is(await (await client()).chat('hello'), '')
    assert.is(await (await client({ 'x-api-key': KEY })).chat('hello'), '')
  }))

test('holders of different keys do not share, as everywhere', () =>
  around(
    { SERVICE__GATEWAY_API_KEYS: '[{"key":"key-ann","label":"ann"},{"key":"key-bob","label":"bob"}]' },
    async ({ client }) => {
      const ann = await client({ 'x-api-key': 'key-ann' })
      const bob = await client({ 'x-api-key': 'key-bob' })
      await ann.store('my plan', 'a secret')
      assert.is(await ann.chat('my plan'), 'a secret')
      assert.is(await bob.chat('my plan'), '')
    },
  ))

test('mcp_allow_store = false takes the tool away', () =>
  around({ SERVICE__MCP_ALLOW_STORE: 'false' }, async ({ client, gateway }) => {
    const mcp = await client()
    const { tools } = await mcp.client.listTools()
    assert.equal(
      tools.map(({ name }) => name),
      ['service_chat'],
    )
    assert.match(await thrownBy(mcp.store('hello', 'hi')), /-32602/)
    const lookup = await gateway.send('/api/v1/cache/lookup', '{"prompt":"hello"}')
    assert.is(lookup.status, 204)
  }))

test('arguments that do not fit are told in the result, by name and never by value', () =>
  around({}, async ({ client }) => {
    const mcp = await client()
    assert.match(await thrownBy(mcp.call('service_chat', {})), /prompt must be a non-empty string/)
    assert.match(await thrownBy(mcp.call('service_chat', { prompt: '' })), /prompt must be/)
    const told = await thrownBy(mcp.call('service_cache_store', { prompt: 'a secret', response: 7 }))
    assert.match(told, /response must be/)
    assert.not.match(told, /secret/)
    assert.match(await thrownBy(mcp.call('service_nothing', {})), /no tool of this name/)
  }))

test('many calls at once in one session each get their own answer', () =>
  around({}, async ({ client }) => {
    const mcp = await client()
    const numbers = Array.from({ length: 50 }, (_, index) => index)
    await Promise.all(numbers.map(n => mcp.store(`question ${n}`, `answer ${n}`)))
    assert.equal(
      await Promise.all(numbers.map(n => mcp.chat(`question ${n}`))),
      numbers.map(n => `answer ${n}`),
    )
  }))

test.run()
