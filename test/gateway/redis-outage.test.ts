import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { startUpstream } from '../support/upstream.ts'

/** What can happen to a Redis, and how it ends. */
interface Outage {
  readonly title: string
  begin(server: RedisServer): Promise<unknown> | void
  end(server: RedisServer): Promise<unknown> | void
  /** Nothing can be read meanwhile. */
  readonly blind: boolean
  /** What was stored before is there afterwards. */
  readonly remembers: boolean
}

const OUTAGES: readonly Outage[] = [
  {
    title: 'killed',
    begin: server => server.kill(),
    end: server => server.restart(),
    blind: true,
    remembers: false,
  },
  { title: 'paused', begin: server => server.freeze(), end: server => server.thaw(), blind: true, remembers: true },
  {
    title: 'full',
    begin: server => server.command('CONFIG', 'SET', 'maxmemory', '1'),
    end: server => server.command('CONFIG', 'SET', 'maxmemory', '0'),
    blind: false,
    remembers: true,
  },
]

const PATH = '/api/chat'
const REQUESTS = 1000
const QUESTIONS = 150
/** Other words for one question, each of which has a canonical key of its own. */
const WORDINGS = [
  (code: number) => `What does the HTTP status code ${code} mean?`,
  (code: number) => `What is the meaning of the HTTP status code ${code}?`,
  (code: number) => `meaning of HTTP status code ${code}`,
]
const worded = (code: number, round: number): string => WORDINGS[round % WORDINGS.length]?.(code) ?? ''
const layerOf = (reply: { readonly headers: Headers }): string => reply.headers.get('x-service-layer') ?? ''

for (const { title, begin, end, blind, remembers } of OUTAGES) {
  test(`of a thousand requests to two gateways none fails when their Redis is ${title} among them, and hits return`, async () => {
    const upstream = await startUpstream()
    upstream.script(({ body }) => ({ text: `about ${/\d+/.exec(JSON.stringify(body?.messages))?.[0]}` }))
    const server = await startRedis(['--maxmemory-policy', 'noeviction'])
    const gateways: TestGateway[] = []
    try {
      const settings = {
        SERVICE__CACHE_MODE: 'both',
        SERVICE__CACHE_BACKEND: 'redis',
        SERVICE__SEMANTIC_CACHE__STORE: 'redis',
        SERVICE__REDIS_URL: server.url,
      }
      for (let i = 0; i < 2; i++) gateways.push(await startGateway({ upstream, settings }))
      const [one, two] = gateways
      assert.ok(one && two)
      /** Asks, and sees that the answer is the question's own. */
      const ask = async ({ post }: TestGateway, code: number, round: number): Promise<string> => {
        const reply = await post(PATH, { prompt: worded(code, round) })
        assert.is(reply.status, 200)
        assert.is(reply.json.message, `about ${code}`)
        return layerOf(reply)
      }

      const layers: string[] = []
      let next = 0
      let beginning: Promise<unknown> | undefined
      const client = async (): Promise<void> => {
        for (let i = next++; i < REQUESTS; i = next++) {
          if (i === REQUESTS / 2) beginning = Promise.resolve(begin(server))
          const round = Math.floor(i / QUESTIONS)
          layers[i] = await ask((i + round) % 2 ? one : two, 100 + (i % QUESTIONS), round)
        }
      }
      await Promise.all(Array.from({ length: 8 }, client))
      await beginning
      assert.is(layers.filter(Boolean).length, REQUESTS)
      const before = layers.slice(QUESTIONS, REQUESTS / 2 - 20)
      for (const layer of ['l1a', 'l1b']) assert.ok(before.includes(layer), `${layer} before`)
      await ask(one, 700, 0)
      if (blind) {
        await until('both say so', async () => {
          const states = await Promise.all([one, two].map(async ({ get }) => (await get('/health')).json.layers))
          for (const each of [one, two]) await ask(each, 701, 0)
          return states.every(({ l1a, l1b }) => l1a === 'degraded' && l1b === 'degraded')
        })
      }

      await end(server)
      let code = 1000
      await until('what one learns, the other answers in other words', async () => {
        code++
        await ask(one, code, 0)
        for (let tries = 0; tries < 20; tries++) if ((await ask(two, code, 1)) === 'l1b') return true
        return false
      })
      await until('and word for word', async () => {
        code++
        await ask(two, code, 0)
        return (await ask(one, code, 0)) === 'l1a'
      })
      if (remembers) await until('what was known before is known', async () => (await ask(one, 100, 0)) !== 'l3')
      for (const { get } of [one, two]) {
        await until('all is well', async () => {
          for (const each of [one, two]) await ask(each, code, 2)
          const { l1a, l1b } = (await get('/health')).json.layers
          return l1a === 'active' && l1b === 'active'
        })
      }
    } finally {
      server.thaw()
      for (const gateway of gateways) await gateway.close()
      await upstream.close()
      await server.close()
    }
  })
}

test.run()
