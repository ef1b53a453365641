import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

/** A vendor, a Redis, and gateways in front of both that share semantic answers; exact ones stay their own. */
interface Bench {
  readonly upstream: Upstream
  readonly server: RedisServer
  gateway(settings?: Readonly<Record<string, string>>): Promise<TestGateway>
}

const bench = (run: (bench: Bench) => Promise<void>) => async (): Promise<void> => {
  const upstream = await startUpstream()
  const server = await startRedis()
  const gateways: TestGateway[] = []
  try {
    await run({
      upstream,
      server,
      async gateway(settings) {
        const given = {
          SERVICE__CACHE_MODE: 'both',
          SERVICE__SEMANTIC_CACHE__STORE: 'redis',
          SERVICE__REDIS_URL: server.url,
          ...settings,
        }
        const gateway = await startGateway({ upstream, settings: given })
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

type Headers = Readonly<Record<string, string>>

const PATH = '/api/chat'
const LOOKUP = '/api/v1/cache/lookup'
const GIT = 'How do I undo the last git commit without losing my changes?'
const NOT_FOUND = 'What does the HTTP status code 404 mean?'
/** Other words with another canonical key: only its vector finds it. */
const NOT_FOUND_AGAIN = 'What is the meaning of the HTTP status code 404?'
/** And with a third one: what was looked up once is an exact answer from then on. */
const NOT_FOUND_ONCE_MORE = 'meaning of HTTP status code 404'

const layerOf = (reply: { readonly headers: globalThis.Headers }): string | null => reply.headers.get('x-service-layer')

/** What a gateway has in its caches, asked without teaching it anything. */
async function known({ send }: TestGateway, prompt: string, headers?: Headers): Promise<string | null> {
  const reply = await send(LOOKUP, JSON.stringify({ prompt }), headers)
  assert.ok(reply.status === 200 || reply.status === 204, String(reply.status))
  return reply.status === 200 ? layerOf(reply) : null
}

test(
  'what one gateway learnt, the other answers in other words within a second',
  bench(async ({ upstream, gateway }) => {
    const one = await gateway()
    const two = await gateway()
    const first = await one.post(PATH, { prompt: NOT_FOUND })
    assert.is(layerOf(first), 'l3')
    await until('the other one knows', async () => (await known(two, NOT_FOUND_AGAIN)) === 'l1b')
    const second = await two.post(PATH, { prompt: NOT_FOUND_ONCE_MORE })
    assert.is(layerOf(second), 'l1b')
    assert.is(second.headers.get('x-service-cache-reason'), 'similar')
    assert.is(second.json.message, first.json.message)
    assert.is(upstream.calls.length, 1)
    assert.is(await known(two, 'What is the meaning of the HTTP status code 403?'), null)
  }),
)

test(
  'a gateway that starts later knows what the others learnt before',
  bench(async ({ server, gateway }) => {
    const one = await gateway()
    await one.post(PATH, { prompt: NOT_FOUND })
    await until('it is stored', async () => (await entriesIn(server)).length === 1)
    const late = await gateway()
    await until('it has read the key space', async () => (await known(late, NOT_FOUND_AGAIN)) === 'l1b')
  }),
)

test(
  'another session, another key, another surface or another model of vectors is not served them',
  bench(async ({ server, gateway }) => {
    const keys = { SERVICE__GATEWAY_API_KEYS: '[{"key":"key-a","label":"a"},{"key":"key-b","label":"b"}]' }
    const one = await gateway(keys)
    const two = await gateway(keys)
    const mine = { authorization: 'Bearer key-a', 'x-session-id': 's1' }
    assert.is((await one.post(PATH, { prompt: NOT_FOUND }, mine)).status, 200)
    await until('its owner is', async () => (await known(two, NOT_FOUND_AGAIN, mine)) === 'l1b')
    const others: Headers[] = [
      { authorization: 'Bearer key-a' },
      { authorization: 'Bearer key-a', 'x-session-id': 's2' },
      { authorization: 'Bearer key-b', 'x-session-id': 's1' },
      { authorization: 'Bearer key-b' },
    ]
    for (const headers of others) {
      for (const prompt of [NOT_FOUND, NOT_FOUND_AGAIN]) {
        assert.is(await known(two, prompt, headers), null, JSON.stringify(headers))
      }
    }
    const chat = { messages: [{ role: 'user', content: NOT_FOUND_AGAIN }] }
    assert.is(layerOf(await two.post('/v1/chat/completions', chat, mine)), 'l3')

    // The same record, copied to where another asks: it says itself whose it is.
    const [name = ''] = await entriesIn(server)
    const [, prefix = '', partition = '', canonical = ''] =
      /^(deflector:vectors:l1b:[^:]+(?::[^:]+)*:)([^:]+):([^:]+)$/.exec(name) ?? []
    assert.ok(partition && canonical, name)
    for (const headers of others) await two.post(PATH, { prompt: GIT }, headers)
    await until('each has an entry', async () => (await entriesIn(server)).length === 2 + others.length)
    for (const other of await entriesIn(server)) {
      const [theirs = ''] = other.slice(prefix.length).split(':')
      if (theirs === partition) continue
      await server.command('COPY', name, `${prefix}${theirs}:${canonical}`, 'REPLACE')
    }
    for (const headers of others) assert.is(await known(two, NOT_FOUND, headers), null, JSON.stringify(headers))
  }),
)

const idOf = (reply: { readonly headers: globalThis.Headers }): string =>
  reply.headers.get('x-service-request-id') ?? ''
const forget = async ({ post }: TestGateway, id: string): Promise<string[]> =>
  (await post('/api/admin/cache/forget', { request_id: id })).json.forgotten

/** Where exact answers are kept: in each gateway, or in the same Redis. */
const EXACT = [{}, { SERVICE__CACHE_BACKEND: 'redis' }]

for (const settings of EXACT) {
  const where = 'SERVICE__CACHE_BACKEND' in settings ? 'shared' : 'own'

  test(
    `a wrong answer that one gateway forgets is gone from the other, with its promoted copies (${where} exact cache)`,
    bench(async ({ gateway }) => {
      const [one, two] = [await gateway(settings), await gateway(settings)]
      const first = await one.post(PATH, { prompt: NOT_FOUND })
      await until('the other one knows', async () => (await known(two, NOT_FOUND_AGAIN)) === 'l1b')
      await until('and has a copy', async () => (await known(two, NOT_FOUND_AGAIN)) === 'l1a')
      assert.equal((await forget(one, idOf(first))).includes('semantic-cache'), true)
      await until(
        'it is gone there, too',
        async () =>
          (await known(two, NOT_FOUND)) === null &&
          (await known(two, NOT_FOUND_AGAIN)) === null &&
          (await known(two, NOT_FOUND_ONCE_MORE)) === null,
      )
      assert.equal(await forget(one, idOf(first)), [], 'there is nothing of it any more')
      const better = await two.post(PATH, { prompt: NOT_FOUND })
      assert.is(layerOf(better), 'l3')
      await until('both learn the new one', async () => (await known(one, NOT_FOUND_AGAIN)) === 'l1b')
    }),
  )

  test(
    `what one gateway stored, the other can forget for both (${where} exact cache)`,
    bench(async ({ gateway }) => {
      const [one, two] = [await gateway(settings), await gateway(settings)]
      const first = await one.post(PATH, { prompt: NOT_FOUND })
      await until('the other one knows', async () => (await known(two, NOT_FOUND_AGAIN)) === 'l1b')
      assert.ok((await forget(two, idOf(first))).includes('semantic-cache'))
      for (const prompt of [NOT_FOUND, NOT_FOUND_AGAIN]) {
        await until(`${prompt} is gone`, async () => (await known(one, prompt)) === null)
      }
    }),
  )

  test(
    `what is cleared on one gateway the other serves no more (${where} exact cache)`,
    bench(async ({ server, gateway }) => {
      const [one, two] = [await gateway(settings), await gateway(settings)]
      await one.post(PATH, { prompt: NOT_FOUND })
      await until('the other one knows', async () => (await known(two, NOT_FOUND_AGAIN)) === 'l1b')
      await until('and has a copy', async () => (await known(two, NOT_FOUND_AGAIN)) === 'l1a')
      await one.post('/api/admin/cache/clear', {})
      assert.equal(await entriesIn(server), [])
      for (const prompt of [NOT_FOUND_AGAIN, NOT_FOUND_ONCE_MORE, NOT_FOUND]) {
        await until(`${prompt} is gone`, async () => (await known(two, prompt)) === null)
      }
      assert.is((await two.get('/api/admin/cache')).json.caches['semantic-cache'].entries, 0)
      await two.post(PATH, { prompt: NOT_FOUND })
      await until('they share anew', async () => (await known(one, NOT_FOUND_AGAIN)) === 'l1b')
    }),
  )
}

test(
  'a pair that one gateway keeps apart is apart on the others, on those that start later, and after a clear',
  bench(async ({ gateway }) => {
    const [one, two] = [await gateway(), await gateway()]
    await one.post(PATH, { prompt: NOT_FOUND })
    await until('they share', async () => (await known(two, NOT_FOUND_AGAIN)) === 'l1b')
    const wrong = await one.post(PATH, { prompt: NOT_FOUND_AGAIN })
    assert.is(wrong.headers.get('x-service-cache-reason'), 'similar')
    await forget(one, idOf(wrong))
    await until('the copy is gone', async () => (await known(two, NOT_FOUND_AGAIN)) === null)

    await one.post('/api/admin/cache/clear', {})
    const late = await gateway()
    const first = await two.post(PATH, { prompt: NOT_FOUND })
    assert.is(layerOf(first), 'l3')
    for (const each of [one, two, late]) {
      await until('all know it', async () => (await known(each, NOT_FOUND_ONCE_MORE)) !== null)
      assert.is(await known(each, NOT_FOUND_AGAIN), null)
    }
  }),
)

test(
  'two gateways whose models differ do not meet in one Redis, not even where both models have one address',
  bench(async ({ server, gateway }) => {
    /** Words as directions, scattered as each model likes. */
    const modelOf = (seed: number) => (text: string) => {
      const vector: number[] = Array(384).fill(0)
      vector[0] = 12
      for (const word of text.toLowerCase().match(/\w+/g) ?? []) {
        let place = seed
        for (const c of word) place = (place * 31 + c.charCodeAt(0)) % 383
        vector[1 + place] = 1
      }
      return vector
    }
    let embed = modelOf(7)
    const tei = createServer(async (request, response) => {
      if (request.method !== 'POST') return response.writeHead(404).end() // a server that does not say what it runs
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { inputs } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(inputs.map(embed)))
    }).listen(0, '127.0.0.1')
    await once(tei, 'listening')
    try {
      const { port } = tei.address() as AddressInfo
      const settings = { SERVICE__SEMANTIC_BACKEND: 'tei', SERVICE__TEI_URL: `http://127.0.0.1:${port}` }
      const [one, twin] = [await gateway(settings), await gateway(settings)]
      embed = modelOf(11)
      const [other, builtIn] = [await gateway(settings), await gateway()]
      embed = modelOf(7)
      await one.post(PATH, { prompt: NOT_FOUND })
      await until('its twin knows', async () => (await known(twin, NOT_FOUND_AGAIN)) === 'l1b')
      embed = modelOf(11)
      for (const each of [other, builtIn]) {
        assert.is(await known(each, NOT_FOUND), null, 'not even by its canonical form')
        assert.is(await known(each, NOT_FOUND_AGAIN), null)
        await each.post(PATH, { prompt: NOT_FOUND })
      }
      assert.is((await entriesIn(server)).length, 3)
      const names = await server.command('KEYS', '*')
      assert.not.match(String(names), String(port))
    } finally {
      tei.close()
      tei.closeAllConnections()
    }
  }),
)

/** Names of the shared entries. */
async function entriesIn(server: RedisServer): Promise<string[]> {
  const names = await server.command('KEYS', 'deflector:vectors:*')
  assert.ok(Array.isArray(names))
  // Four parts: what else there is are pairs and marks of what was forgotten.
  return names.map(String).filter(name => /^deflector:vectors:l1b:[0-9a-f]{16}:[0-9a-f]{64}:[\w-]{43}$/.test(name))
}

test.run()
