import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Start, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const KEYS = JSON.stringify([
  { key: 'key-of-ann', label: 'ann' },
  { key: 'key-of-bob', label: 'bob' },
])
const ann = { 'x-api-key': 'key-of-ann' }
const bob = { 'x-api-key': 'key-of-bob' }

/** Two vendors that keep their answers unless told not to, and two principals that share what others may have. */
async function chain(settings: Start['settings'] = {}) {
  const [first, second] = [await startUpstream(), await startUpstream()]
  const fallback = [{ provider: 'openai-responses', url: second.url, api_key: 'second-key' }]
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
  const ask = (body: object, headers = ann) => gateway.send('/v1/responses', JSON.stringify(body), headers)
  return { first, second, gateway, ask }
}

const asked = { model: 'gpt-test', input: 'What is a cache?' }
const layer = ({ headers }: { readonly headers: Headers }) => headers.get('x-service-layer')
const provider = ({ headers }: { readonly headers: Headers }) => headers.get('x-service-provider')
const idIn = (text: string): string => /"id":"(resp_[^"]+)"/.exec(text)?.[1] ?? ''

for (const stream of [false, true]) {
  const how = stream ? 'streamed' : 'whole'

  test(`an answer that its vendor holds is given again under the vendor's id (${how})`, async () => {
    const { first, gateway, ask } = await chain()
    const miss = await ask({ ...asked, stream })
    for (const again of [stream, !stream]) {
      const hit = await ask({ ...asked, stream: again })
      assert.is(layer(hit), 'l1a')
      assert.is(idIn(hit.text), 'resp_stub_1')
    }
    assert.is(idIn(miss.text), 'resp_stub_1')
    const next = await ask({ ...asked, input: 'And then?', previous_response_id: idIn(miss.text) })
    assert.is(next.status, 200)
    assert.is(first.calls.length, 2)
    await gateway.close()
  })

  test(`whoever did not make it gets neither the answer nor what it refers to (${how})`, async () => {
    const { first, gateway, ask } = await chain()
    const made = await ask({ ...asked, stream })
    const theirs = await ask({ ...asked, stream }, bob)
    assert.is(layer(theirs), 'l3')
    assert.is(idIn(theirs.text), 'resp_stub_2')
    const foreign = await ask({ ...asked, stream, previous_response_id: idIn(made.text) }, bob)
    assert.is(foreign.status, 404)
    assert.is(JSON.parse(foreign.text).error.param, 'previous_response_id')
    assert.is(first.calls.length, 2)
    await gateway.close()
  })

  test(`what follows on goes to the provider of the answer, also after a hit (${how})`, async () => {
    const { first, second, gateway, ask } = await chain()
    first.script({ status: 401 })
    assert.is(provider(await ask({ ...asked, stream })), 'openai-responses-2')
    const hit = await ask({ ...asked, stream })
    assert.is(layer(hit), 'l1a')
    for (const _ of ['once', 'again']) {
      const next = await ask({ ...asked, stream, input: 'And then?', previous_response_id: idIn(hit.text) })
      assert.is(provider(next), 'openai-responses-2')
    }
    const item = await ask({ ...asked, stream, input: [{ type: 'item_reference', id: 'msg_stub_1' }] })
    assert.is(provider(item), 'openai-responses-2')
    assert.equal([first.calls.length, second.calls.length], [1, 4])
    await gateway.close()
  })

  test(`two who ask the same at once get answers of their own, each of which goes on (${how})`, async () => {
    const { gateway, ask } = await chain()
    const both = await Promise.all([ask({ ...asked, stream }), ask({ ...asked, stream })])
    assert.equal(both.map(({ text }) => idIn(text)).sort(), ['resp_stub_1', 'resp_stub_2'])
    await gateway.close()
  })
}

test('work in the background and whatever goes on from an answer is asked anew each time', async () => {
  const { first, gateway, ask } = await chain({ SERVICE__GATEWAY_API_KEYS: '[]' })
  for (const more of [{ background: true }, { conversation: 'conv_1' }, { previous_response_id: 'resp_elsewhere' }])
    for (const _ of ['once', 'again']) assert.is(layer(await ask({ ...asked, ...more })), 'l3')
  assert.is(first.calls.length, 6)
  await gateway.close()
})

test("with store: false an answer is anybody's, under an id of its own", async () => {
  const { first, gateway, ask } = await chain()
  const miss = await ask({ ...asked, store: false })
  const hit = await ask({ ...asked, store: false }, bob)
  assert.is(layer(hit), 'l1a')
  assert.is.not(idIn(hit.text), idIn(miss.text))
  assert.is(first.calls.length, 1)
  await gateway.close()
})

test('the same question in other words gets the answer that its vendor holds, and goes on from it', async () => {
  const { first, gateway, ask } = await chain({ SERVICE__CACHE_MODE: 'both' })
  await ask(asked)
  const hit = await ask({ ...asked, input: 'what is a cache' })
  assert.is(layer(hit), 'l1b')
  assert.is(idIn(hit.text), 'resp_stub_1')
  assert.is(layer(await ask({ ...asked, input: 'what is a cache' }, bob)), 'l3')
  const next = { ...asked, input: 'what is a cache', previous_response_id: 'resp_stub_1' }
  assert.is(layer(await ask(next)), 'l3')
  assert.is(first.calls.length, 3)
  await gateway.close()
})

test('a vendor of another dialect answers what its client did not insist to have kept, and no reference', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider: 'anthropic' })
  const ask = (more: object) => gateway.post('/v1/responses', { ...asked, ...more })
  const miss = await ask({})
  const hit = await ask({})
  assert.is(layer(hit), 'l1a')
  assert.is.not(hit.json.id, miss.json.id)
  const refused = await ask({ previous_response_id: miss.json.id })
  assert.is(refused.status, 400)
  assert.is(refused.json.error.param, 'previous_response_id')
  assert.is((await ask({ background: true })).status, 400)
  await gateway.close()
})

test.run()
