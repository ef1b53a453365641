import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Route } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { DEFAULT_PIPELINE, startGateway, type TestGateway } from '../support/gateway.ts'
import { tempFolder } from '../support/opened.ts'

/** Who may administer, over each route that the shipped pipeline keeps for the operator. */

const KEYS = {
  SERVICE__GATEWAY_API_KEY: 'key-of-the-gateway',
  SERVICE__GATEWAY_API_KEYS: JSON.stringify([
    { key: 'key-of-ops', label: 'ops', admin: true },
    { key: 'key-of-ann', label: 'ann' },
    { key: 'key-of-bob', label: 'bob', admin: false },
  ]),
}

/** What routes need to be told. */
const BODIES: Readonly<Record<string, object>> = {
  '/api/admin/cache/forget': { request_id: 'nobody' },
  '/api/admin/cache/why': { prompt: 'Who is there?' },
  '/api/admin/providers/test': { provider: 'openai' },
  '/api/admin/config': { cache_ttl_secs: 299 },
  '/api/admin/providers/edit': { name: 'openai', model: 'another' },
}

/** Routes that are told too little here: that they say so proves that the call got as far as them. */
const TOLD_TOO_LITTLE = new Set(['add', 'remove', 'move'].map(change => `/api/admin/providers/${change}`))
const granted = (path: string): number => {
  // A request that nobody made.
  if (path.endsWith('/:id')) return 404
  return TOLD_TOO_LITTLE.has(path) ? 400 : 200
}

interface Got {
  readonly status: number
  readonly text: string
}

type Headers = Readonly<Record<string, string>>

async function ask({ url }: TestGateway, { method, path }: Route, headers: Headers = {}, body?: string): Promise<Got> {
  const reply = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method !== 'GET' && { body: body ?? JSON.stringify(BODIES[path] ?? {}) }),
  })
  // A stream that is granted has no end.
  const isStream = reply.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  if (isStream) await reply.body?.cancel()
  return { status: reply.status, text: isStream ? '' : await reply.text() }
}

const routesOf = ({ gateway }: TestGateway): readonly Route[] =>
  gateway.current.routing.routes.filter(({ admin }) => admin)

const withGateway =
  (settings: Headers, run: (gateway: TestGateway) => Promise<void>, pipeline?: string) => async (): Promise<void> => {
    const offline = { SERVICE__OFFLINE_MODE: 'true', ...settings }
    const gateway = await startGateway({ settings: offline, ...(pipeline !== undefined && { pipeline }) })
    try {
      await run(gateway)
    } finally {
      await gateway.close()
    }
  }

/** The shipped pipeline with `change` made. */
function changed(was: RegExp, now: string): string {
  const text = readFileSync(DEFAULT_PIPELINE, 'utf8')
  assert.match(text, was)
  const file = join(tempFolder(), 'pipeline.yaml')
  writeFileSync(file, text.replace(was, now))
  return file
}

test(
  'every route below /api/admin and /debug is for the operator only',
  withGateway(KEYS, async ({ gateway }) => {
    const below = gateway.current.routing.routes.filter(({ path }) => /^\/(?:api\/admin|debug)(?:\/|$)/.test(path))
    assert.ok(below.length >= 4)
    for (const { method, path, admin } of below) assert.is(admin, true, `${method} ${path}`)
  }),
)

test(
  'each of them takes the gateway key and keys with admin, and no other',
  withGateway(KEYS, async gateway => {
    for (const route of routesOf(gateway)) {
      const told = `${route.method} ${route.path}`
      for (const headers of [{}, { 'x-api-key': 'key-of-nobody' }, { authorization: 'Bearer key-of-nobody' }]) {
        assert.is((await ask(gateway, route, headers)).status, 401, told)
      }
      for (const label of ['ann', 'bob']) {
        for (const headers of [{ 'x-api-key': `key-of-${label}` }, { authorization: `Bearer key-of-${label}` }]) {
          const { status, text } = await ask(gateway, route, headers)
          assert.is(status, 403, told)
          const { error, message, request_id, ...more } = JSON.parse(text)
          assert.equal([error, typeof request_id, more], ['forbidden', 'string', {}])
          assert.match(message, `"admin = true" for the key labelled "${label}"`)
          assert.not.match(text, 'key-of')
        }
      }
      for (const key of ['key-of-the-gateway', 'key-of-ops']) {
        for (const headers of [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }]) {
          const { status, text } = await ask(gateway, route, headers)
          assert.is(status, granted(route.path), `${told}: ${text}`)
        }
      }
    }
  }),
)

test(
  'a key that may not administer is refused before its body is looked at, and has changed nothing',
  withGateway(KEYS, async gateway => {
    const { post, get } = gateway
    const [ann, ops] = [{ 'x-api-key': 'key-of-ann' }, { 'x-api-key': 'key-of-ops' }]
    const entries = async () => (await get('/api/admin/cache', ops)).json.caches['exact-cache'].entries
    const pair = { prompt: 'What is a heron?', response: 'A bird.' }
    assert.equal((await post('/api/v1/cache/store', pair, ann)).json, { stored: true })
    assert.is(await entries(), 1)
    for (const route of routesOf(gateway)) {
      for (const body of ['{"not', '[]', '']) assert.is((await ask(gateway, route, ann, body)).status, 403)
      assert.is((await ask(gateway, route, ann)).status, 403)
    }
    assert.is(await entries(), 1)
    assert.equal((await post('/api/admin/cache/clear', {}, ops)).json, { cleared: ['exact-cache', 'bytes-cache'] })
    assert.is(await entries(), 0)
  }),
)

test(
  'its own entries are no exception: neither why nor forget',
  withGateway(KEYS, async ({ post }) => {
    const ann = { 'x-api-key': 'key-of-ann' }
    const stored = await post('/api/v1/cache/store', { prompt: 'What is a heron?', response: 'A bird.' }, ann)
    const request_id = stored.headers.get('x-service-request-id')
    assert.is((await post('/api/admin/cache/why', { prompt: 'What is a heron?' }, ann)).status, 403)
    assert.is((await post('/api/admin/cache/forget', { request_id }, ann)).status, 403)
    assert.is((await post('/api/v1/cache/lookup', { prompt: 'What is a heron?' }, ann)).status, 200)
  }),
)

test(
  'HEAD of a page for the operator is refused, too',
  withGateway(KEYS, async ({ url }) => {
    const status = async (key: string) =>
      (await fetch(`${url}/api/admin/cache`, { method: 'HEAD', headers: { 'x-api-key': key } })).status
    assert.is(await status('key-of-ann'), 403)
    assert.is(await status('key-of-ops'), 200)
  }),
)

test('where only keys without admin are configured, nobody may', async () => {
  const keys = JSON.stringify([{ key: 'key-of-ann', label: 'ann' }])
  await withGateway({ SERVICE__GATEWAY_API_KEYS: keys }, async gateway => {
    for (const route of routesOf(gateway)) {
      assert.is((await ask(gateway, route)).status, 401)
      assert.is((await ask(gateway, route, { 'x-api-key': 'key-of-ann' })).status, 403)
    }
  })()
})

test(
  'without keys this machine may, whatever key it sends, and pages of other origins may change nothing',
  withGateway({}, async gateway => {
    for (const route of routesOf(gateway)) {
      assert.is((await ask(gateway, route)).status, granted(route.path))
      assert.is((await ask(gateway, route, { 'x-api-key': 'key-of-nobody' })).status, granted(route.path))
      const page = await ask(gateway, route, { origin: 'http://127.0.0.1:1' })
      assert.is(page.status, route.method === 'GET' ? granted(route.path) : 403)
    }
  }),
)

test(
  'a flow that admits calls without a key opens nothing',
  withGateway(
    KEYS,
    async gateway => {
      for (const route of routesOf(gateway)) {
        assert.is((await ask(gateway, route)).status, 401)
        assert.is((await ask(gateway, route, { 'x-api-key': 'key-of-ann' })).status, 403)
        assert.is((await ask(gateway, route, { 'x-api-key': 'key-of-ops' })).status, granted(route.path))
      }
    },
    changed(/-admin:( *)\{ flow: admission \}/g, '-admin:$1{ flow: open-lookup }'),
  ),
)

test('a refusal is in the log with the status that its client was told, and a look of the operator at debug', async () => {
  const statuses: unknown[] = []
  const quiet = () => {}
  const at =
    (level: string) =>
    (message: string, { status }: Record<string, unknown> = {}) => {
      if (message === 'request') statuses.push([level, status])
    }
  const log = { debug: at('debug'), info: at('info'), warn: quiet, error: quiet }
  const gateway = await startGateway({ settings: KEYS, log })
  for (const key of ['key-of-ann', 'key-of-ops']) await gateway.get('/api/admin/cache', { 'x-api-key': key })
  await gateway.close()
  assert.equal(statuses, [
    ['info', 403],
    ['debug', 200],
  ])
})

test.run()
