import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Log } from '../../core/host.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { opened, tempFolder } from '../support/opened.ts'
import { startUpstream } from '../support/upstream.ts'
import { RawClient } from '../surfaces/raw.ts'

type Line = Record<string, unknown>

/** A log that keeps the lines of finished exchanges, and a promise of so many of them. */
class Lines implements Log {
  readonly requests: Line[] = []
  readonly kinds: string[] = []
  #wake: () => void = () => {}
  debug(): void {}
  warn(): void {}
  readonly errors: string[] = []
  error(message: string): void {
    this.errors.push(message)
  }
  info(message: string, fields: Line = {}): void {
    if (message === 'request') this.requests.push(fields)
    if (message === 'finished') this.kinds.push(`${fields.kind} ${fields.surface} ${fields.status}`)
    this.#wake()
  }
  async finished(): Promise<void> {
    while (this.requests.length === 0) await new Promise<void>(resolve => (this.#wake = resolve))
  }
  /** Resolves with the next lines of the access log once there are `count`, and forgets them. */
  async next(count: number): Promise<{ requests: Line[]; kinds: string[] }> {
    while (this.requests.length < count || this.kinds.length < count)
      await new Promise<void>(resolve => (this.#wake = resolve))
    return { requests: this.requests.splice(0), kinds: this.kinds.splice(0) }
  }
}

const KINDS = `import { defineObserver } from 'deflector'
import { z } from 'zod'
export default defineObserver({
  name: 'kinds',
  options: z.strictObject({}),
  apply({ name, hooks, log }) {
    hooks.finish.tap(name, ({ kind, surface, failure }) => log.info('finished', { kind, surface, status: failure?.status }))
  },
})
`

const upstream = await startUpstream()
test.before.each(() => upstream.clear())
test.after(() => upstream.close())

const KEY = { authorization: 'Bearer a-gateway-key' }

/** The port of a gateway whose flows differ in how they end. */
async function start(): Promise<{ log: Lines; gateway: TestGateway }> {
  const folder = tempFolder('finish')
  const log = new Lines()
  writeFileSync(join(folder, 'kinds.ts'), KINDS)
  writeFileSync(
    join(folder, 'pipeline.yaml'),
    `surfaces:
  http: { options: { port: 0 } }
  chat-completions: { flow: chat }
  native: { flow: local }
  models: { flow: admission, options: { chain: [vendor] } }
  cache: { flow: local }
flows:
  chat: [auth, cloud]
  local: [auth, exact-cache]
  admission: [auth]
layers:
  auth: { options: { key: a-gateway-key } }
  exact-cache: { options: { store: answers } }
  cloud: { options: { chain: [vendor] } }
stores: { answers: { use: memory } }
providers:
  vendor: { use: chat-completions, options: { url: '${upstream.url}', api_key: k, model: stub-model } }
observers: { access-log: , kinds: { use: ./kinds.ts } }
`,
  )
  return { log, gateway: await startGateway({ pipeline: join(folder, 'pipeline.yaml'), log }) }
}

const body = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }

test('each request over HTTP is one line of the access log, with the status that its client was told', async () => {
  const { log, gateway } = await start()
  const { post, send, get } = gateway
  const line = async (): Promise<unknown[]> => {
    const { requests, kinds } = await log.next(1)
    return [requests.length, kinds, requests[0]?.status, requests[0]?.layer]
  }
  const stub = (reply: { status: number }): number => reply.status

  assert.is(stub(await post('/v1/chat/completions', body, KEY)), 200)
  assert.equal(await line(), [1, ['chat chat-completions undefined'], 200, 'l3'])
  assert.is(stub(await post('/v1/chat/completions', body, { authorization: 'Bearer wrong' })), 401)
  assert.equal(await line(), [1, ['chat chat-completions 401'], 401, 'l0'])
  assert.is(stub(await post('/api/chat', { prompt: 'hello' }, KEY)), 502)
  assert.equal(await line(), [1, ['chat native 502'], 502, 'l3'])
  assert.is(stub(await send('/v1/chat/completions', '{"not', KEY)), 400)
  assert.equal(await line(), [1, ['chat chat-completions 400'], 400, 'l0'])
  assert.is(stub(await send('/api/v1/cache/lookup', '{"prompt":"hello"}', KEY)), 204)
  assert.equal(await line(), [1, ['lookup cache undefined'], 204, 'l0'])
  assert.is(stub(await post('/api/v1/cache/store', { prompt: 'hello', response: 'hi' }, KEY)), 200)
  assert.equal(await line(), [1, ['put cache undefined'], 200, 'l0'])
  assert.is(stub(await post('/api/v1/cache/store', { prompt: 'hello', response: 'hi' })), 401)
  assert.equal(await line(), [1, ['put cache 401'], 401, 'l0'])
  assert.is(stub(await post('/api/chat', { prompt: 'hello' }, KEY)), 200)
  assert.equal(await line(), [1, ['chat native undefined'], 200, 'l1a'])
  assert.is(stub(await get('/v1/models', KEY)), 200)
  assert.equal(await line(), [1, ['admit models undefined'], 200, 'l0'])
  assert.is(stub(await get('/v1/models')), 401)
  assert.equal(await line(), [1, ['admit models 401'], 401, 'l0'])
  await gateway.close()
  assert.equal([log.requests, log.kinds], [[], []], 'and no more lines than these')
})

test('a client that leaves, and a stream that breaks, are one line each', async () => {
  const { log, gateway } = await start()
  upstream.script({ silent: true })
  const client = await RawClient.connect(Number(new URL(gateway.url).port))
  opened(() => client.socket.destroy())
  const text = JSON.stringify(body)
  client.send(
    'POST /v1/chat/completions HTTP/1.1',
    'host: localhost',
    `authorization: ${KEY.authorization}`,
    'content-type: application/json',
    `content-length: ${text.length}`,
    '',
    text,
  )
  await upstream.arrived(1)
  client.socket.destroy()
  const left = await log.next(1)
  assert.equal([left.kinds, left.requests[0]?.status], [['chat chat-completions 499'], 499])

  upstream.script({ text: 'a b c d e', dieAfter: 3 })
  const broken = await gateway.send('/v1/chat/completions', JSON.stringify({ ...body, stream: true }), KEY)
  assert.is(broken.status, 200)
  assert.match(broken.text, /"error"/)
  const broke = await log.next(1)
  assert.equal([broke.kinds, broke.requests[0]?.status], [['chat chat-completions 502'], 502])
  await gateway.close()
  assert.equal([log.requests, log.kinds], [[], []])
})

test('a request that the end of the gateway cuts off is one line, with the status that its client was told', async () => {
  const { log, gateway } = await start()
  const calls = upstream.calls.length
  upstream.script({ silent: true }, { text: 'one two three four', stallAfter: 2 })
  const plain = gateway.post('/v1/chat/completions', body, KEY)
  await upstream.arrived(calls + 1)
  const streamed = gateway.send('/v1/chat/completions', JSON.stringify({ ...body, stream: true }), KEY)
  await upstream.arrived(calls + 2)
  const closing = gateway.gateway.close(1000)
  assert.is((await plain).status, 503)
  assert.match((await streamed).text, '"code":"draining"')
  await closing
  const { kinds, requests } = await log.next(2)
  assert.equal(kinds, ['chat chat-completions 503', 'chat chat-completions 503'])
  assert.equal(
    requests.map(({ status }) => status),
    [503, 503],
  )
})

test('a question what would become of a request is one line, that of the question', async () => {
  const log = new Lines()
  const gateway = await startGateway({ upstream, log })
  const asked = { prompt: 'Who is there?', other: 'Who was there?', surface: 'chat-completions' }
  assert.is((await gateway.post('/api/admin/cache/why', asked)).status, 200)
  await gateway.close()
  assert.equal(
    log.requests.map(({ surface }) => surface),
    ['cache-admin'],
  )
})

test('a body that its client never ends is one line', async () => {
  const { log, gateway } = await start()
  const client = await RawClient.connect(Number(new URL(gateway.url).port))
  opened(() => client.socket.destroy())
  client.send(
    'POST /v1/chat/completions HTTP/1.1',
    'host: localhost',
    `authorization: ${KEY.authorization}`,
    'content-type: application/json',
    'content-length: 100',
    'expect: 100-continue',
    '',
    '',
  )
  await client.until(/100 Continue/)
  client.socket.destroy()
  const { kinds, requests } = await log.next(1)
  assert.equal([kinds, requests[0]?.status], [['chat chat-completions 400'], 400])
  await gateway.close()
})

test('a client that leaves a call which makes state is no error of ours', async () => {
  const log = new Lines()
  const gateway = await startGateway({ upstream, provider: 'openai-responses', log })
  for (const stream of [false, true]) {
    const calls = upstream.calls.length
    upstream.script({ silent: true })
    const leaving = new AbortController()
    const asking = fetch(`${gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', input: 'hello', store: true, stream }),
      signal: leaving.signal,
    }).catch(() => 'left')
    await upstream.arrived(calls + 1)
    leaving.abort()
    assert.is(await asking, 'left')
    await log.finished()
    assert.is(log.requests.splice(0)[0]?.status, 499)
    assert.equal(log.errors, [])
  }
  await gateway.close()
})

test.run()
