import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseDocument } from 'yaml'
import { DEFAULT_PIPELINE, startGateway, type TestGateway } from '../support/gateway.ts'
import { tempFolder } from '../support/opened.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

/** A vendor, a Redis, and gateways in front of both. */
interface Bench {
  readonly upstream: Upstream
  readonly server: RedisServer
  gateway(settings?: Readonly<Record<string, string>>, pipeline?: string): Promise<TestGateway>
}

const bench = (run: (bench: Bench) => Promise<void>) => async (): Promise<void> => {
  const upstream = await startUpstream()
  const server = await startRedis()
  const gateways: TestGateway[] = []
  try {
    await run({
      upstream,
      server,
      async gateway(settings, pipeline) {
        const given = { SERVICE__CACHE_BACKEND: 'redis', SERVICE__REDIS_URL: server.url, ...settings }
        const gateway = await startGateway({ upstream, settings: given, ...(pipeline && { pipeline }) })
        gateways.push(gateway)
        return gateway
      },
    })
  } finally {
    for (const gateway of gateways) await gateway.close()
    await upstream.close()
    await server.close()
  }
}

/** The shipped pipeline with an exact cache that waits for its Redis: on a busy machine a reply may take its time. */
function patientPipeline(url: string): string {
  const pipeline = parseDocument(readFileSync(DEFAULT_PIPELINE, 'utf8'))
  pipeline.setIn(['stores', 'patient'], { use: 'redis', options: { url, command_timeout_ms: 20_000 } })
  pipeline.setIn(['layers', 'exact-cache', 'options', 'store'], 'patient')
  const file = join(tempFolder('pipeline'), 'pipeline.yaml')
  writeFileSync(file, pipeline.toString())
  return file
}

const CHAT = '/v1/chat/completions'
const asking = (question: string) => ({ model: 'm', messages: [{ role: 'user', content: question }] })
const said = (reply: { readonly json: { choices: { message: { content: string } }[] } }): string | undefined =>
  reply.json.choices[0]?.message.content
const layerOf = (reply: { readonly headers: Headers }): string | null => reply.headers.get('x-service-layer')

test(
  'two gateways on one Redis share exact answers',
  bench(async ({ upstream, gateway }) => {
    const one = await gateway()
    const two = await gateway()
    const first = await one.post(CHAT, asking('What is a heron?'))
    assert.is(layerOf(first), 'l3')
    await until('the other one has it', async () => layerOf(await two.post(CHAT, asking('What is a heron?'))) === 'l1a')
    const second = await two.post(CHAT, asking('What is a heron?'))
    assert.is(said(second), said(first))
    const streamed = await two.stream(CHAT, asking('What is a heron?'))
    assert.is(streamed.content, said(first))
    const asked = new Set(upstream.calls.map(({ body }) => JSON.stringify(body)))
    assert.is(asked.size, 1)
  }),
)

test(
  'a thousand requests with Redis killed and started again among them lose none, and hits return by themselves',
  bench(async ({ upstream, server, gateway }) => {
    upstream.script(({ body }) => ({ text: `answer to ${JSON.stringify(body?.messages)}` }))
    const { post, get } = await gateway({}, patientPipeline(server.url))
    const bodies = Array.from({ length: 1000 }, (_, i) => asking(`question ${i % 200}`))
    const layers: string[] = []
    let next = 0
    let killing: Promise<void> | undefined
    const client = async (): Promise<void> => {
      for (let i = next++; i < bodies.length; i = next++) {
        if (i === 500) killing = server.kill()
        const body = bodies[i] ?? asking('')
        const reply = await post(CHAT, body)
        assert.is(reply.status, 200)
        assert.is(said(reply), `answer to ${JSON.stringify(body.messages)}`)
        layers[i] = layerOf(reply) ?? ''
      }
    }
    await Promise.all(Array.from({ length: 16 }, client))
    await killing
    assert.is(layers.length, 1000)
    assert.ok(
      layers.slice(250, 480).every(layer => layer === 'l1a'),
      'hits before',
    )
    assert.ok(
      layers.slice(550).every(layer => layer === 'l3'),
      'the vendor afterwards',
    )
    assert.is((await get('/health')).json.layers.l1a, 'degraded')

    await server.restart()
    await until('hits return', async () => layerOf(await post(CHAT, asking('question 1'))) === 'l1a')
    assert.is((await get('/health')).json.layers.l1a, 'active')
  }),
)

test(
  'a frozen Redis is asked by one request, which goes on after its limit',
  bench(async ({ server, gateway }) => {
    const { post } = await gateway()
    await post(CHAT, asking('warm'))
    await server.command('CONFIG', 'RESETSTAT')
    server.freeze()
    for (let i = 0; i < 30; i++) assert.is((await post(CHAT, asking(`question ${i}`))).status, 200)
    server.thaw()
    // What was sent to the frozen server is worked off now.
    const [, reads] = /cmdstat_getrange:calls=(\d+)/.exec(String(await server.command('INFO', 'commandstats'))) ?? []
    assert.is(reads, '1')
  }),
)

test(
  'a gateway starts without its Redis, says so, and uses it once it is there',
  bench(async ({ server, gateway }) => {
    await server.kill()
    const { post, get } = await gateway()
    assert.is((await post(CHAT, asking('hi'))).status, 200)
    assert.is((await get('/health')).json.layers.l1a, 'degraded')
    await server.restart()
    await until('hits come', async () => layerOf(await post(CHAT, asking('hi'))) === 'l1a')
  }),
)

test(
  'what one surface, session or key stored in Redis no other can read as its own',
  bench(async ({ upstream, server, gateway }) => {
    const keys = { SERVICE__GATEWAY_API_KEYS: '[{"key":"key-a","label":"a"},{"key":"key-b","label":"b"}]' }
    const gateways = [await gateway(keys), await gateway(keys)] as const
    const askers = ['key-a', 'key-b'].flatMap(key =>
      [undefined, 's1', 's2'].flatMap(session =>
        [CHAT, '/v1/messages', 'cursor', 'kiro'].map(surface => ({
          path: surface.startsWith('/') ? surface : CHAT,
          headers: {
            authorization: `Bearer ${key}`,
            ...(session !== undefined && { 'x-session-id': session }),
            ...(surface === 'cursor' && { 'x-cursor-checksum': 'c' }),
            ...(surface === 'kiro' && { 'x-kiro-version': '1' }),
          },
        })),
      ),
    )
    const body = { ...asking('What is mine?'), max_tokens: 50 }
    const texts: string[] = []
    for (const { path, headers } of askers) {
      const reply = await gateways[0].post(path, body, headers)
      assert.is(reply.status, 200)
      assert.is(layerOf(reply), 'l3', JSON.stringify(headers))
      texts.push(path === CHAT ? (said(reply) ?? '') : reply.json.content[0].text)
    }
    assert.is(new Set(texts).size, askers.length, 'each got an answer of its own')
    await until('all are stored', async () => Number(await server.command('DBSIZE')) === askers.length)
    const calls = upstream.calls.length
    for (const [i, { path, headers }] of askers.entries()) {
      const reply = await gateways[1].post(path, body, headers)
      assert.is(layerOf(reply), 'l1a')
      assert.is(path === CHAT ? said(reply) : reply.json.content[0].text, texts[i])
    }
    assert.is(upstream.calls.length, calls)
    const names = await server.command('KEYS', '*')
    assert.ok(Array.isArray(names))
    for (const name of names) assert.match(String(name), /^deflector:answers:[0-9a-f]{64}$/)
  }),
)

test(
  'one request may ask for a new answer, for none to be kept, and for how long',
  bench(async ({ upstream, server, gateway }) => {
    const { post } = await gateway({ SERVICE__CACHE_MAX_TTL_SECS: '1000', SERVICE__CACHE_STALE_SECS: '0' })
    const stored = (count: number): Promise<void> =>
      until(`${count} entries`, async () => Number(await server.command('DBSIZE')) === count)
    const ask = (headers?: Record<string, string>) => post(CHAT, asking('q'), headers)

    assert.is(layerOf(await ask({ 'cache-control': 'no-store' })), 'l3')
    assert.is(layerOf(await ask({ 'cache-control': 'no-store' })), 'l3')
    const first = await ask({ 'x-service-cache-ttl': '77' })
    assert.is(layerOf(first), 'l3', 'no-store stored nothing')
    await stored(1)
    const [name = ''] = (await server.command('KEYS', '*')) as string[]
    const left = async (): Promise<number> => Math.ceil(Number(await server.command('PTTL', name)) / 1000)
    assert.ok((await left()) <= 77 && (await left()) > 70)

    const second = await ask({ 'cache-control': 'no-cache', 'x-service-cache-ttl': '999999' })
    assert.is(layerOf(second), 'l3')
    assert.is.not(said(second), said(first))
    await until('the new answer took its place', async () => (await left()) > 900)
    assert.ok((await left()) <= 1000, 'held to cache_max_ttl_secs')
    const third = await ask()
    assert.is(layerOf(third), 'l1a')
    assert.is(said(third), said(second))
    assert.is(layerOf(await ask({ 'cache-control': 'no-store' })), 'l3', 'no-store reads nothing either')
    assert.is(upstream.calls.length, 5)
  }),
)

test.run()
