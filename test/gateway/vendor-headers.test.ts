import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** What of a call's head reaches its vendor, and what of the vendor's reaches the client. */

const upstream = await startUpstream()
test.before.each(() => upstream.clear())
test.after(() => upstream.close())

const chat = await startGateway({ upstream })
const messages = await startGateway({ upstream, provider: 'anthropic' })

let n = 0
const body = () => ({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: `question ${n++}` }] })
const last = () => {
  const call = upstream.calls.at(-1)
  if (!call) throw new Error('the vendor was not called')
  return call
}

test('the user agent of the client stays, with ours behind it', async () => {
  await messages.post('/v1/messages', body(), { 'user-agent': 'claude-cli/2.1.0 (external, cli)' })
  assert.match(String(last().headers['user-agent']), /^claude-cli\/2\.1\.0 \(external, cli\) deflector\/\d/)
  await chat.post('/v1/messages', body(), { 'user-agent': 'claude-cli/2.1.0' })
  assert.match(String(last().headers['user-agent']), /^claude-cli\/2\.1\.0 deflector\/\d/)
})

test('headers of a dialect go to a vendor of the dialect and to no other', async () => {
  const said = {
    'anthropic-version': '2024-01-01',
    'anthropic-beta': 'b-1',
    'anthropic-dangerous-direct-browser-access': 'true',
    'openai-beta': 'assistants=v2',
    'x-other': 'x',
  }
  await messages.post('/v1/messages', body(), said)
  const kept = ({ headers }: ReturnType<typeof last>) => Object.keys(said).map(name => headers[name])
  assert.equal(kept(last()), ['2024-01-01', 'b-1', 'true', undefined, undefined])
  await chat.post('/v1/messages', body(), said)
  assert.equal(kept(last()), [undefined, undefined, undefined, undefined, undefined])
  await chat.post('/v1/chat/completions', body(), said)
  assert.equal(kept(last()), [undefined, undefined, undefined, 'assistants=v2', undefined])
  await messages.post('/v1/chat/completions', body(), said)
  assert.equal(kept(last()), ['2023-06-01', undefined, undefined, undefined, undefined])
})

test('no header that could hold a credential goes along, whatever its prefix', async () => {
  const secrets = ['openai-api-key', 'openai-auth-token', 'authorization', 'x-api-key', 'cookie']
  await chat.post('/v1/chat/completions', body(), Object.fromEntries(secrets.map(name => [name, 'client-secret'])))
  assert.not.match(JSON.stringify(last().headers), 'client-secret')
  assert.is(last().headers.authorization, 'Bearer test-key')
})

test('query parameters go to a vendor of the dialect, keys among them do not', async () => {
  await messages.post('/v1/messages?beta=true&key=client-secret&access_token=client-secret&a=%C3%A9+1', body())
  assert.is(last().path, '/v1/messages?a=%C3%A9+1&beta=true')
  await chat.post('/v1/messages?beta=true', body())
  assert.is(last().path, '/v1/chat/completions')
  await messages.post('/v1/messages', body())
  assert.is(last().path, '/v1/messages')
})

test('what can change an answer keeps cache entries apart, in whatever order it is said', async () => {
  const same = body()
  const ask = async (path: string, headers = {}) =>
    (await messages.post(path, same, headers)).headers.get('x-service-layer')
  assert.is(await ask('/v1/messages'), 'l3')
  assert.is(await ask('/v1/messages?beta=true'), 'l3')
  assert.is(await ask('/v1/messages?beta=true&a=1'), 'l3')
  assert.is(await ask('/v1/messages?a=1&beta=true'), 'l1a')
  assert.is(await ask('/v1/messages', { 'anthropic-mode': 'x' }), 'l3')
  assert.is(await ask('/v1/messages', { 'anthropic-mode': 'x', 'user-agent': 'another' }), 'l1a')
  assert.is(await ask('/v1/messages', { 'x-other': 'x' }), 'l1a')
})

test('rate limits and waits of the vendor reach the client of a miss, cookies and inner headers do not', async () => {
  const shown = {
    'request-id': 'req_1',
    'x-generation-id': 'gen_1',
    'openai-processing-ms': '12',
    'anthropic-ratelimit-tokens-remaining': '12',
    'x-ratelimit-reset-requests': '6ms',
    'retry-after': '3',
  }
  const hidden = { 'set-cookie': 'a=b', server: 'inner', 'anthropic-organization-id': 'org', 'x-internal': '1' }
  for (const stream of [false, true]) {
    upstream.script({ text: 'hi', headers: { ...shown, ...hidden } })
    const asked = { ...body(), stream }
    const miss = await messages.send('/v1/messages', JSON.stringify(asked))
    for (const [name, value] of Object.entries(shown)) assert.is(miss.headers.get(name), value, name)
    for (const name of Object.keys(hidden)) assert.is(miss.headers.get(name), null, name)
    assert.is(miss.headers.get('x-request-id'), miss.headers.get('x-service-request-id'))
    const hit = await messages.send('/v1/messages', JSON.stringify(asked))
    assert.is(hit.headers.get('x-service-layer'), 'l1a')
    assert.is(hit.headers.get('request-id'), hit.headers.get('x-service-request-id'))
    assert.is(hit.headers.get('retry-after'), null)
  }
})

for (const [how, stream, status] of [
  ['a whole answer', false, 200],
  ['a stream', true, 200],
  ['a refusal', false, 400],
] as const)
  test(`a vendor that repeats the key in the headers of ${how} shows it to no client`, async () => {
    for (const gateway of [chat, messages]) {
      upstream.script(() => ({
        status,
        ...(status === 200 ? { text: 'hello' } : { json: { error: { message: 'no' } } }),
        headers: {
          'x-request-id': 'test-key',
          'x-ratelimit-limit-requests': 'Bearer test-key',
          'x-ratelimit-remaining-requests': 'sk-another-0123456789',
          'x-ratelimit-limit-tokens': '9',
          'request-id': '0a1b2c3d4e5f60718293a4b5c6d7e8f9',
        },
      }))
      for (const path of ['/v1/chat/completions', '/v1/messages']) {
        const { headers } = await (stream ? gateway.stream : gateway.post)(path, { ...body(), stream })
        assert.not.match(JSON.stringify([...headers]), /test-key|sk-another/)
        assert.is(headers.get('x-request-id'), '***')
        assert.is(headers.get('x-ratelimit-limit-tokens'), '9')
        assert.is(headers.get('request-id'), '0a1b2c3d4e5f60718293a4b5c6d7e8f9')
      }
    }
  })

test.run()
