import type { Call } from 'deflector'
import { type CacheControls, cacheControls } from 'deflector/facets/cache-controls'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import cacheAdmin from '../../surfaces/cache-admin.ts'
import { testHost } from '../contracts/host.ts'
import { waiting } from '../contracts/waiting.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { startUpstream } from '../support/upstream.ts'
import { inShell } from './cli/command.ts'
import { FREE, up } from './cli/gateway.ts'

/** Two wordings of one question, which take more than a canonical key to be found alike. */
const ASKED = 'What is the difference between a stack and a queue?'
const OTHERWISE = 'How does a stack differ from a queue?'
const BOTH = ['exact-cache', 'semantic-cache']

interface Asked {
  readonly id: string
  readonly layer: string
  readonly reason: string | null
  readonly message: string
}

interface Bench {
  readonly gateway: TestGateway
  ask(prompt: string): Promise<Asked>
  forget(id: string): Promise<unknown>
  /** Once the exact cache has stored so many answers: it does so after the client has them. */
  stored(count: number): Promise<void>
}

async function statsOf(gateway: TestGateway): Promise<Record<string, Record<string, number>>> {
  return (await gateway.get('/api/admin/cache')).json.caches
}

const withGateway = (run: (bench: Bench) => Promise<void>) => async (): Promise<void> => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, settings: { SERVICE__CACHE_MODE: 'both' } })
  const bench: Bench = {
    gateway,
    async ask(prompt) {
      const { headers, json } = await gateway.post('/api/chat', { prompt })
      return {
        id: headers.get('x-service-request-id') ?? '',
        layer: headers.get('x-service-layer') ?? '',
        reason: headers.get('x-service-cache-reason'),
        message: json.message,
      }
    },
    forget: async id => (await gateway.post('/api/admin/cache/forget', { request_id: id })).json.forgotten,
    async stored(count) {
      const isStored = async (): Promise<boolean> => ((await statsOf(gateway))['exact-cache']?.stored ?? 0) >= count
      await until(`the exact cache stored ${count} answers`, isStored)
    },
  }
  try {
    // On a loaded machine the engine may start after the gateway.
    await until('the engine runs', async () => (await gateway.get('/health')).json.layers.l1b === 'active')
    await run(bench)
  } finally {
    await gateway.close()
    await upstream.close()
  }
}

test(
  'the stats count hits, misses, what was stored and what is there',
  withGateway(async ({ gateway, ask, stored }) => {
    await ask(ASKED)
    await stored(1)
    await ask(ASKED)
    assert.is((await ask(OTHERWISE)).layer, 'l1b')
    await stored(2)
    const { 'exact-cache': exact, 'semantic-cache': semantic } = await statsOf(gateway)
    for (const [told, counts] of [
      [exact, { hits: 1, misses: 2, stored: 2, entries: 2 }],
      [semantic, { hits: 1, misses: 1, stored: 1, entries: 1 }],
    ] as const) {
      const { bytes = 0, ...others } = told ?? {}
      assert.equal(others, counts)
      assert.ok(bytes > 0)
    }
  }),
)

test(
  'clear empties both caches',
  withGateway(async ({ gateway, ask, stored }) => {
    await ask(ASKED)
    await stored(1)
    assert.equal((await gateway.post('/api/admin/cache/clear', {})).json, { cleared: [...BOTH, 'bytes-cache'] })
    const stats = await statsOf(gateway)
    assert.equal(
      BOTH.map(name => stats[name]?.entries),
      [0, 0],
    )
    assert.is((await ask(OTHERWISE)).layer, 'l3')
    assert.is((await ask(ASKED)).layer, 'l1b')
  }),
)

test(
  'a wrong likeness is served no more, neither alike nor as the promoted copy, and the pair stays apart',
  withGateway(async ({ gateway, ask, forget, stored }) => {
    const first = await ask(ASKED)
    await stored(1)
    const wrong = await ask(OTHERWISE)
    assert.equal([wrong.layer, wrong.reason, wrong.message], ['l1b', 'similar', first.message])
    await stored(2)
    assert.equal(await forget(wrong.id), BOTH)

    const anew = await ask(OTHERWISE)
    assert.is(anew.layer, 'l3')
    assert.is.not(anew.message, first.message)
    // The answer was right for its own question.
    const own = await ask(ASKED)
    assert.equal([own.layer, own.message], ['l1a', first.message])

    await gateway.post('/api/admin/cache/clear', {})
    assert.is((await ask(ASKED)).layer, 'l3')
    assert.is((await ask(OTHERWISE)).layer, 'l3')
  }),
)

test(
  'a hit on the promoted copy leads back to the likeness behind it',
  withGateway(async ({ ask, forget, stored }) => {
    await ask(ASKED)
    await stored(1)
    await ask(OTHERWISE)
    await stored(2)
    const again = await ask(OTHERWISE)
    assert.is(again.layer, 'l1a')
    assert.equal(await forget(again.id), BOTH)
    assert.is((await ask(OTHERWISE)).layer, 'l3')
  }),
)

test(
  'a wrong answer goes with all its copies, and its prompts are not kept apart for it',
  withGateway(async ({ ask, forget, stored }) => {
    const first = await ask(ASKED)
    await stored(1)
    await ask(OTHERWISE)
    await stored(2)
    assert.equal(await forget(first.id), BOTH)
    const better = await ask(ASKED)
    assert.is(better.layer, 'l3')
    const other = await ask(OTHERWISE)
    assert.equal([other.layer, other.message], ['l1b', better.message])
  }),
)

test(
  'who is unknown is forgotten nowhere',
  withGateway(async ({ ask, forget }) => {
    await ask(ASKED)
    assert.equal(await forget('nobody'), [])
  }),
)

interface Given {
  /** The flow asks for keys, and this caller's may administer. */
  readonly keyed?: boolean
  readonly remote?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Clears through the surface alone; gives how often a cache was emptied, and the error if there was one. */
async function clearing({ keyed, remote = '127.0.0.1', headers = {}, body = '{}' }: Given): Promise<[number, string]> {
  let cleared = 0
  const controls: CacheControls = {
    stats: () => ({}),
    async clear() {
      cleared++
    },
    forget: async () => false,
  }
  const host = testHost('surface', {
    offers: facets => facets.offer(cacheControls, { role: 'layer', name: 'c' }, controls),
    flow: hooks =>
      hooks.receive.tapPromise('auth', async exchange => {
        if (keyed) exchange.mayAdminister = true
      }),
  })
  host.apply(cacheAdmin)
  await host.start()
  const route = host.routes.find(({ path }) => path.endsWith('/clear'))
  const call: Call = {
    id: 'r1',
    method: 'POST',
    path: '/api/admin/cache/clear',
    params: {},
    query: new URLSearchParams(),
    headers: { host: '127.0.0.1:8080', 'content-type': 'application/json', ...headers },
    remote,
    status: undefined,
    ...waiting(),
    headWaitMs: 0,
    body: async () => Buffer.from(body),
    send() {},
    open() {
      throw new Error('nothing here is a stream')
    },
  }
  try {
    await route?.handle(call)
    return [cleared, '']
  } catch (error) {
    return [cleared, error instanceof Error && 'code' in error ? String(error.code) : String(error)]
  }
}

test('without a gateway key only this machine may change the cache', async () => {
  for (const remote of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) assert.equal(await clearing({ remote }), [1, ''])
  for (const remote of ['10.0.0.9', '::ffff:10.0.0.9', 'fe80::1', '']) {
    assert.equal(await clearing({ remote }), [0, 'forbidden'], remote)
    assert.equal(await clearing({ remote, keyed: true }), [1, ''])
  }
})

test('pages of other origins may not, and neither may what a page can send unasked', async () => {
  const own = { origin: 'http://127.0.0.1:8080' }
  assert.equal(await clearing({ headers: own }), [1, ''])
  for (const origin of ['null', 'http://evil.example', 'http://127.0.0.1:8081'])
    for (const keyed of [false, true]) assert.equal(await clearing({ keyed, headers: { origin } }), [0, 'forbidden'])
  assert.equal(await clearing({ headers: { 'content-type': 'text/plain' } }), [0, 'unsupported_media'])
})

test('an empty body says nothing, and is no mistake of JSON', async () => {
  assert.equal(await clearing({ body: '' }), [1, ''])
  assert.equal(await clearing({ body: ' ' }), [0, 'bad_request'])
})

test('a gateway with a key asks for it', async () => {
  const gateway = await startGateway({ settings: { SERVICE__GATEWAY_API_KEY: 'a-key' } })
  try {
    assert.is((await gateway.get('/api/admin/cache')).status, 401)
    assert.is((await gateway.post('/api/admin/cache/clear', {})).status, 401)
    const reply = await gateway.post('/api/admin/cache/clear', {}, { 'x-api-key': 'a-key' })
    assert.equal(reply.json, { cleared: ['exact-cache', 'bytes-cache'] })
  } finally {
    await gateway.close()
  }
})

test(
  'the command finds the running gateway, looks, forgets and clears',
  inShell(async shell => {
    const key = { SERVICE__GATEWAY_API_KEY: 'a-key' }
    const { url } = await up(shell, ['--demo', ...FREE], { ...key, SERVICE__CACHE_MODE: 'both' })
    const headers = { 'content-type': 'application/json', 'x-api-key': 'a-key' }
    const body = JSON.stringify({ prompt: ASKED })
    const reply = await fetch(`${url}/api/chat`, { method: 'POST', headers, body })
    const id = reply.headers.get('x-service-request-id') ?? ''
    await reply.text()

    const stats = await shell.run(['cache', 'stats'], key)
    assert.match(stats.stdout, /^exact-cache: 0 hits, 1 misses, 1 stored, 1 entries, \d+ bytes$/m)
    assert.match(stats.stdout, /^semantic-cache: 0 hits, 1 misses, 1 stored, 1 entries, \d+ bytes$/m)
    const refused = await shell.run(['cache', 'clear', '--gateway-url', url])
    assert.is(refused.code, 1)
    assert.match(refused.stderr, '--gateway-api-key')
    const gone = await shell.run(['cache', 'forget', id, '--gateway-url', `${url}/`, '--gateway-api-key', 'a-key'])
    assert.is(gone.stdout, 'forgotten: exact-cache, semantic-cache\n')
    const again = await shell.run(['cache', 'forget', id], key)
    assert.is(again.code, 1)
    assert.match(again.stderr, id)
    assert.is((await shell.run(['cache', 'clear'], key)).stdout, 'cleared: exact-cache, semantic-cache, bytes-cache\n')
  }),
)

test.run()
