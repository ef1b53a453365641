import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'
import { RawClient } from '../surfaces/raw.ts'

const KEYS = JSON.stringify([
  { key: 'key-of-ann', label: 'ann' },
  { key: 'key-of-bob', label: 'bob' },
])
const ann = { 'x-api-key': 'key-of-ann' }
const bob = { 'x-api-key': 'key-of-bob' }

/** Two vendors of the responses format, and two principals that share their answers. */
async function chain(settings: Readonly<Record<string, string>> = {}) {
  const [first, second] = [await startUpstream(), await startUpstream()]
  const fallback = [{ provider: 'openai-responses', url: second.url, api_key: 'second-key', model: 'gpt-second' }]
  const gateway = await startGateway({
    upstream: first,
    provider: 'openai-responses',
    settings: {
      SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallback),
      SERVICE__GATEWAY_API_KEYS: KEYS,
      SERVICE__CACHE_SCOPE: 'global',
      ...settings,
    },
  })
  return { first, second, gateway, path: '/v1/responses' }
}

const ask = (input: unknown, more: object = {}) => ({ model: 'gpt-test', input, ...more })

test('D33: what a vendor keeps is given again under its own id, to its owner alone', async () => {
  const { first, gateway, path } = await chain()
  const one = await gateway.post(path, ask('hello'), ann)
  const two = await gateway.post(path, ask('hello'), ann)
  assert.equal([one.json.id, two.json.id], ['resp_stub_1', 'resp_stub_1'])
  assert.is(two.headers.get('x-service-layer'), 'l1a')
  const streamed = await gateway.send(path, JSON.stringify(ask('hello', { stream: true })), ann)
  assert.is(streamed.headers.get('x-service-layer'), 'l1a')
  assert.match(streamed.text, '"id":"resp_stub_1"')
  const other = await gateway.post(path, ask('hello'), bob)
  assert.is(other.json.id, 'resp_stub_2', 'bob could not refer to what ann made')
  assert.is(first.calls.length, 2)
  await gateway.close()
})

test('a stored response is looked up while the model is at its limit', async () => {
  const { first, gateway, path } = await chain({ SERVICE__FALLBACK_PROVIDERS: '[]' })
  const made = await gateway.post(path, { input: 'hello', background: true }, ann)
  assert.is(made.status, 200)
  first.script({ status: 429, headers: { 'retry-after': '60' } }, { json: { id: made.json.id, object: 'response' } })
  assert.is((await gateway.post(path, { input: 'again' }, ann)).status, 429)
  assert.is((await gateway.get(`${path}/${made.json.id}`, ann)).status, 200)
  first.script({ status: 429, headers: { 'retry-after': '60' } })
  assert.is((await gateway.get(`${path}/${made.json.id}`, ann)).status, 429)
  assert.is((await gateway.post(`${path}/${made.json.id}/cancel`, {}, ann)).status, 429)
  assert.is(first.calls.length, 4, 'what is asked of stored responses has one limit')
  await gateway.close()
})

test('an id in a path is one step of it, or refused', async () => {
  const { first, gateway, path } = await chain()
  for (const id of [
    '%2e%2e',
    '..%5c..',
    'resp_1%2finput_items',
    'resp_1%00',
    'resp_1%252fcancel',
    '%252e%252e',
    '%C3%A9',
  ]) {
    const client = await RawClient.connect(Number(new URL(gateway.url).port))
    const headers = 'host: localhost\r\nx-api-key: key-of-ann\r\nconnection: close'
    client.send(`GET ${path}/${id}/input_items HTTP/1.1\r\n${headers}\r\n\r\n`)
    assert.match(await client.until(/\r\n\r\n/), /^HTTP\/1\.1 400/, id)
  }
  assert.is(first.calls.length, 0)
  await gateway.close()
})

for (const stream of [false, true])
  for (const settings of [{}, { SERVICE__RESPONSES_STORE: 'false' }])
    for (const kind of ['code_interpreter', 'shell'] as const)
      test(`a container is its client's also where the vendor keeps nothing else (${kind}, ${stream ? 'streamed' : 'whole'}, ${Object.keys(settings)})`, async () => {
        const { first, gateway, path } = await chain(settings)
        const isShell = kind === 'shell'
        const item = isShell
          ? { type: 'shell_call', id: 'i', environment: { type: 'container_reference', container_id: 'cntr_1' } }
          : { type: 'code_interpreter_call', id: 'i', container_id: 'cntr_1', code: 'f()' }
        const response = {
          id: 'resp_1',
          object: 'response',
          model: 'm',
          status: 'completed',
          store: false,
          output: [item],
        }
        const event = (more: { readonly type: string }): string =>
          `event: ${more.type}\ndata: ${JSON.stringify(more)}\n\n`
        const sse = [
          { type: 'response.created', response: { ...response, output: [], status: 'in_progress' } },
          { type: 'response.output_item.added', output_index: 0, item },
          { type: 'response.output_item.done', output_index: 0, item },
          { type: 'response.completed', response },
        ].map(event)
        const reply = stream ? { sse } : { json: response }
        first.script(reply, reply, reply)
        const tools = [
          isShell
            ? { type: kind, environment: { type: 'container_auto' } }
            : { type: kind, container: { type: 'auto' } },
        ]
        const made = JSON.stringify(
          ask('draw', { store: settings.SERVICE__RESPONSES_STORE ? undefined : false, tools, stream }),
        )
        const answers = [await gateway.send(path, made, ann), await gateway.send(path, made, bob)]
        for (const each of answers)
          assert.equal([each.status, each.headers.get('x-service-layer')], [200, 'l3'], each.text)
        const place = isShell
          ? { environment: { type: 'container_reference', container_id: 'cntr_1' } }
          : { container: 'cntr_1' }
        const next = ask('more', { store: false, tools: [{ type: kind, ...place }] })
        const own = await gateway.post(path, next, ann)
        assert.is(own.status, 200, own.text)
        assert.is((await gateway.post(path, next, bob)).status, 404)
        await gateway.close()
      })

test('what no vendor keeps has a new id each time', async () => {
  const { first, gateway, path } = await chain()
  const ids = []
  for (let round = 0; round < 3; round++)
    ids.push((await gateway.post(path, ask('hello', { store: false }), ann)).json.id)
  assert.is(new Set(ids).size, 3)
  assert.is(first.calls.length, 1)
  await gateway.close()
})

test('D33: responses_store = false tells the vendor to keep nothing, and caches as usual', async () => {
  const { first, gateway, path } = await chain({ SERVICE__RESPONSES_STORE: 'false' })
  const one = await gateway.post(path, ask('hello'), ann)
  const two = await gateway.post(path, ask('hello'), bob)
  assert.is(first.calls[0]?.body?.store, false)
  assert.is(two.headers.get('x-service-layer'), 'l1a')
  assert.is.not(one.json.id, two.json.id)
  assert.is(first.calls.length, 1)
  await gateway.close()
})

test('a follow-up goes to the provider that holds what it names, is never cached, and is 404 for another', async () => {
  const { first, second, gateway, path } = await chain()
  first.script({ status: 401 })
  const one = await gateway.post(path, ask('hello'), ann)
  assert.is(one.headers.get('x-service-provider'), 'openai-responses-2')
  const follow = ask('and?', { previous_response_id: one.json.id })
  for (let round = 0; round < 2; round++) {
    const next = await gateway.post(path, follow, ann)
    assert.is(next.status, 200, next.text)
    assert.is(next.headers.get('x-service-provider'), 'openai-responses-2')
  }
  assert.is(second.calls.length, 3)
  const foreign = await gateway.post(path, follow, bob)
  assert.is(foreign.status, 404)
  assert.is(foreign.json.error.param, 'previous_response_id')
  assert.is(foreign.json.error.code, 'previous_response_not_found')
  assert.is(first.calls.length, 1)
  await gateway.close()
})

test('a response is looked up, its items listed, cancelled and deleted where it is held; deleted, it is not given again', async () => {
  const { first, second, gateway, path } = await chain()
  first.script({ status: 401 })
  const { json } = await gateway.post(path, ask('hello'), ann)
  const at = `${path}/${json.id}`
  second.script({ json: { ...json, metadata: { a: 'b' } } })
  const found = await gateway.get(
    `${at}?include[]=message.output_text.logprobs&include[]=reasoning.encrypted_content`,
    ann,
  )
  assert.equal([found.status, found.json.metadata], [200, { a: 'b' }], found.text)
  const looked = second.calls.at(-1)
  assert.is(looked?.method, 'GET')
  assert.is(looked?.raw.length, 0)
  assert.equal(new URL(looked?.path ?? '', 'http://stub').searchParams.getAll('include[]'), [
    'message.output_text.logprobs',
    'reasoning.encrypted_content',
  ])
  second.script({ json: { object: 'list', data: [], has_more: false } })
  const items = await gateway.get(`${at}/input_items?limit=2&order=asc`, ann)
  assert.is(items.json.object, 'list')
  assert.match(second.calls.at(-1)?.path ?? '', `/v1/responses/${json.id}/input_items?limit=2&order=asc`)
  second.script({ json: { ...json, status: 'cancelled' } })
  const cancelled = await gateway.post(`${at}/cancel`, {}, ann)
  assert.is(cancelled.json.status, 'cancelled')

  for (const how of ['GET', 'DELETE']) {
    const reply = await fetch(gateway.url + at, { method: how, headers: bob })
    const { error } = JSON.parse(await reply.text())
    assert.equal([reply.status, error.code], [404, 'not_found'], `${how} by another`)
  }
  const calls = second.calls.length
  const hit = await gateway.post(path, ask('hello'), ann)
  assert.is(hit.headers.get('x-service-layer'), 'l1a')
  second.script({ json: { id: json.id, object: 'response', deleted: true } })
  const gone = await fetch(gateway.url + at, { method: 'DELETE', headers: ann })
  assert.equal(await gone.json(), { id: json.id, object: 'response', deleted: true })
  assert.is(second.calls.length, calls + 1)
  const again = await gateway.post(path, ask('hello'), ann)
  assert.is(again.headers.get('x-service-layer'), 'l3', 'a follow-up to the old one would fail')
  await gateway.close()
})

test('tokens are counted and histories compacted by the vendor', async () => {
  const { first, gateway, path } = await chain()
  first.script({ json: { object: 'response.input_tokens', input_tokens: 11 } })
  const counted = await gateway.post(`${path}/input_tokens`, ask('hello'), ann)
  assert.equal(counted.json, { object: 'response.input_tokens', input_tokens: 11 })
  assert.match(first.calls[0]?.path ?? '', '/v1/responses/input_tokens')
  first.script({ json: { object: 'response.compaction', output: [] } })
  assert.is((await gateway.post(`${path}/compact`, ask('hello'), ann)).json.object, 'response.compaction')
  assert.equal(first.calls[1]?.body, ask('hello'))
  await gateway.close()
})

test('where no provider keeps responses they are 404, in the dialect, after the key was checked', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, settings: { SERVICE__GATEWAY_API_KEY: 'secret' } })
  const path = '/v1/responses/resp_1'
  assert.is((await gateway.get(path)).status, 401)
  const lost = await gateway.get(path, { 'x-api-key': 'secret' })
  assert.is(lost.status, 404)
  assert.is(lost.json.error.type, 'invalid_request_error')
  assert.match(lost.json.error.message, /set llm_provider.* such as openai-responses/)
  assert.is((await gateway.post('/v1/responses/compact', ask('x'), { 'x-api-key': 'secret' })).status, 404)
  assert.is(upstream.calls.length, 0)
  await gateway.close()
})

test('D33, D42: translated, a mere store is fine, and what only a vendor of the dialect has is refused by its field', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream })
  const path = '/v1/responses'
  const plain = await gateway.post(path, ask('hello', { store: true }))
  assert.is(plain.status, 200)
  assert.match(plain.json.id, /^resp_/)
  assert.is(plain.json.store, false, 'it tells the truth')
  for (const [more, param] of [
    [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
    [{ conversation: 'conv_1' }, 'conversation'],
    [{ background: true }, 'background'],
    [{ prompt: { id: 'pmpt_1' } }, 'prompt'],
    [{ tools: [{ type: 'web_search' }] }, 'tools[0]'],
    [
      {
        input: [
          { role: 'user', content: 'x' },
          { type: 'item_reference', id: 'msg_1' },
        ],
      },
      'input[1]',
    ],
    [{ input: [{ type: 'compaction', encrypted_content: 'x' }] }, 'input[0]'],
  ] as const) {
    const refused = await gateway.post(path, ask('hello', more))
    assert.is(refused.status, 400, refused.text)
    assert.is(refused.json.error.param, param)
    assert.is(refused.headers.get('x-should-retry'), 'false')
  }
  assert.is(upstream.calls.length, 1)
  await gateway.close()
})

test('D37: reasoning that a fallback showed goes back to the vendor of it, and not to the first', async () => {
  const [first, second] = [await startUpstream(), await startUpstream()]
  const fallback = [{ provider: 'anthropic', url: second.url, api_key: 'k', model: 'claude-opus-4-5' }]
  const gateway = await startGateway({
    upstream: first,
    provider: 'openai-responses',
    settings: { SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallback) },
  })
  const path = '/v1/responses'
  first.script({ status: 401 })
  second.script({ text: 'Yes.', reasoning: 'Hm.' })
  const one = await gateway.post(
    path,
    ask([{ role: 'user', content: 'q' }], { store: false, reasoning: { effort: 'low' } }),
  )
  const [reasoning] = one.json.output
  assert.is(reasoning.type, 'reasoning')
  const history = [{ role: 'user', content: 'q' }, ...one.json.output, { role: 'user', content: 'And?' }]
  await gateway.post(path, ask(history, { store: false }))
  const there = first.calls.at(-1)?.body?.input as unknown[]
  assert.equal(there, [history[0], ...history.slice(2)], 'all but the reasoning, as it was')
  first.script({ status: 401 })
  await gateway.post(path, ask(history, { store: false, reasoning: { effort: 'low' }, max_output_tokens: 9000 }))
  assert.match(JSON.stringify(second.calls.at(-1)?.body?.messages), '"signature":"c2lnbmVk"')
  await gateway.close()
})

test('a request of the dialect reaches its vendor byte for byte, and so does its stream', async () => {
  const { first, gateway, path } = await chain()
  const body = `{"model" : "gpt-test","input":[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"sealed"},{"role":"user","content":"hi"}],"x_new":{"a":1.50},"store":false,"stream":true}`
  first.script({ text: 'Oslo', reasoning: 'Hm.', toolCalls: [{ name: 'f', arguments: '{}' }] })
  const reply = await gateway.send(path, body, ann)
  assert.is(first.calls[0]?.raw.toString('utf8'), body)
  const last = reply.text.trimEnd().split('\n').at(-1) ?? ''
  assert.match(last, '"type":"response.completed"')
  assert.match(reply.text, '"encrypted_content":"sealed 1"')
  assert.not.match(reply.text, /\[DONE\]/)
  await gateway.close()
})

test('a stream that dies ends with response.failed, numbered on', async () => {
  for (const provider of ['openai-responses', 'anthropic']) {
    const upstream = await startUpstream()
    const gateway = await startGateway({ upstream, provider })
    upstream.script(() => ({ text: 'one two three four five six', dieAfter: 6 }))
    const { text } = await gateway.stream('/v1/responses', ask('die?', { store: false }))
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json ?? ''))
    assert.equal(
      events.map(({ sequence_number }) => sequence_number),
      events.map((_, index) => index),
    )
    assert.equal(
      events.slice(-2).map(({ type }) => type),
      ['error', 'response.failed'],
    )
    assert.is(events.at(-1).response.id, events[0].response.id)
    await gateway.close()
  }
})

test('a WebSocket is refused at once, so that its client goes on over HTTP', async () => {
  const { gateway } = await chain()
  const { get } = await import('node:http')
  const status = await new Promise(resolve => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', ...ann }
    get(`${gateway.url}/v1/responses`, { headers }, reply => resolve(reply.resume().statusCode)).end()
  })
  assert.is(status, 426)
  await gateway.close()
})

test.run()
