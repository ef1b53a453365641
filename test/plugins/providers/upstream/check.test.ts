import type { LookupAddress } from 'node:dns'
import { Cancellation, ProviderError } from 'deflector'
import { testHost } from 'deflector/contracts/host'
import { type CheckedWith, type ProviderCheck, providerEndpoint } from 'deflector/facets/provider-endpoint'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import chatCompletions from '../../../../plugins/providers/chat-completions.ts'
import messages from '../../../../plugins/providers/messages.ts'
import { publicLookup } from '../../../../plugins/providers/upstream/public-lookup.ts'
import { startUpstream } from '../../../support/upstream.ts'

const KEY = 'sk-own-0123456789-abcd'

/** The endpoint of a provider with these options. */
function endpointOf(options: Record<string, unknown>, plugin = chatCompletions) {
  const host = testHost('provider', { name: 'acme' })
  host.apply(plugin, { api_key: KEY, ...options })
  const endpoint = host.offer(providerEndpoint)
  if (!endpoint) throw new Error('nothing is offered')
  const check = (given?: CheckedWith, cancellation = new Cancellation()): Promise<ProviderCheck> =>
    endpoint.check(cancellation, given)
  return { ...endpoint, check, dispose: () => host.dispose() }
}

test('shows where calls go, without what may be secret there', async () => {
  const { url, dispose } = endpointOf({ url: 'https://acme.example/v1?key=hidden' })
  assert.is(url, 'https://acme.example/v1')
  await dispose()
})

test('reads the list of models in the vendor’s own way', async () => {
  const vendor = await startUpstream()
  const openai = endpointOf({ url: vendor.url })
  assert.is((await openai.check()).authorized, true)
  const anthropic = endpointOf({ url: vendor.url }, messages)
  assert.is((await anthropic.check()).authorized, true)
  assert.equal(
    vendor.calls.map(({ method, path, headers }) => [
      method,
      path.replace(/\?.*/, ''),
      headers.authorization ?? headers['x-api-key'],
    ]),
    [
      ['GET', '/v1/models', `Bearer ${KEY}`],
      ['GET', '/v1/models', KEY],
    ],
  )
  await Promise.all([openai.dispose(), anthropic.dispose()])
})

for (const status of [200, 429])
  test(`a list that answers ${status} without a key says nothing of a key`, async () => {
    const vendor = await startUpstream()
    const { check, dispose } = endpointOf({ url: vendor.url, api_key: undefined })
    vendor.script({ status, json: {} })
    const { reachable, authorized } = await check()
    assert.equal([reachable, authorized], [true, undefined])
    await dispose()
  })

for (const [status, authorized, isWell] of [
  [200, true, true],
  [401, false, false],
  [403, false, false],
  [429, true, false],
  [404, undefined, false],
  [500, undefined, false],
  [302, undefined, false],
] as const)
  test(`a list that answers ${status}`, async () => {
    const [vendor, elsewhere] = await Promise.all([startUpstream(), startUpstream()])
    const { check, dispose } = endpointOf({ url: vendor.url })
    vendor.script({ status, json: {}, headers: { location: `${elsewhere.url}/models` } })
    const seen = await check()
    assert.equal([seen.reachable, seen.authorized, seen.status], [true, authorized, status])
    assert.is(seen.error === undefined, isWell)
    // A redirect would take the key along.
    assert.is(elsewhere.calls.length, 0)
    await dispose()
  })

test('a vendor without a list is looked at where calls go, and is sent no key', async () => {
  const vendor = await startUpstream()
  const { showsKey, check, dispose } = endpointOf({ url: vendor.url, models_path: null })
  assert.is(showsKey, false)
  vendor.script({ status: 405 }, { status: 401 }, { status: 503 })
  assert.equal(await check(), { reachable: true, authorized: undefined, status: 405, latencyMs: 0 })
  const refused = await check()
  assert.equal([refused.reachable, refused.authorized], [true, undefined])
  assert.type((await check()).error, 'string')
  for (const { method, headers } of vendor.calls) assert.equal([method, headers.authorization], ['GET', undefined])
  await dispose()
})

test('another place gets the given key and never a configured one', async () => {
  const vendor = await startUpstream()
  const { check, dispose } = endpointOf({ url: `http://127.0.0.1:${vendor.port}/v1` })
  await check({ url: `http://127.0.0.1:${vendor.port}/other/v1` })
  await check({ url: `http://127.0.0.1:${vendor.port}/other/v1`, key: 'given' })
  await check({ key: 'given' })
  assert.equal(
    vendor.calls.map(({ path, headers }) => [path, headers.authorization]),
    [
      ['/other/v1/models', undefined],
      ['/other/v1/models', 'Bearer given'],
      ['/v1/models', 'Bearer given'],
    ],
  )
  await dispose()
})

test('a private address is not connected to, nor a name that leads to one', async () => {
  const vendor = await startUpstream()
  const { check, dispose } = endpointOf({ url: 'https://acme.example/v1' })
  for (const host of ['localhost', '127.0.0.1', '0.0.0.0', '[::ffff:127.0.0.1]', '[::1]', 'intranet']) {
    const seen = await check({ url: `http://${host}:${vendor.port}/v1`, key: 'given' })
    assert.equal([seen.reachable, seen.error], [false, 'the address is private'], host)
  }
  assert.is(vendor.calls.length, 0)
  await dispose()
})

test('of names only public addresses are given', async () => {
  const resolved = (name: string, all: boolean): Promise<string | LookupAddress[]> =>
    new Promise((resolve, reject) =>
      publicLookup(name, { all }, (error, address) => (error ? reject(error) : resolve(address))),
    )
  for (const name of [
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.1',
    '169.254.169.254',
    '0.0.0.0',
    '::',
    '::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    'localhost',
  ])
    for (const all of [true, false]) {
      const error = await resolved(name, all).then(
        () => undefined,
        error => error,
      )
      assert.is(error?.code, 'EPRIVATE', name)
    }
  assert.is(await resolved('192.0.2.1', false), '192.0.2.1')
  assert.equal(await resolved('192.0.2.1', true), [{ address: '192.0.2.1', family: 4 }])
})

test('a look that is given up says so', async () => {
  const vendor = await startUpstream()
  vendor.script({ silent: true })
  const { check, dispose } = endpointOf({ url: vendor.url })
  const cancellation = new Cancellation()
  const looking = check({}, cancellation)
  await vendor.arrived(1)
  cancellation.cancel(new ProviderError('timeout', 'no reply within 10 s'))
  const seen = await looking
  assert.equal([seen.reachable, seen.error], [false, 'no reply within 10 s'])
  await dispose()
})

test.run()
