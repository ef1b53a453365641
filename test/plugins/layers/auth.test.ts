import { type Exchange, isGatewayError } from 'deflector'
import { health } from 'deflector/facets/health'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import auth from '../../../plugins/layers/auth.ts'
import { TestExchange, testHost } from '../../contracts/host.ts'
import { checkLayer } from '../../contracts/layer.ts'

const KEYS = [
  { key: 'key-of-ann', label: 'ann' },
  { key: 'key-of-bob', label: 'bob' },
]
checkLayer(auth, { options: { key: 'secret', keys: KEYS, required: false }, passesOn: () => new TestExchange() })

/** The exchange after admission; throws when refused. */
async function through(options: object, headers: Exchange['headers'] = {}): Promise<TestExchange> {
  const host = testHost('layer')
  host.apply(auth, options)
  const exchange = new TestExchange({ headers })
  await host.call.receive(exchange)
  assert.is(exchange.reads, 0, 'admission reads headers only')
  return exchange
}

async function refusal(options: object, headers: Exchange['headers'] = {}): Promise<string> {
  try {
    await through(options, headers)
  } catch (error) {
    assert.ok(isGatewayError(error))
    assert.is(error.code, 'unauthorized')
    return error.message
  }
  throw new Error('was let in')
}

test('lets everybody in while no key is configured', async () => {
  for (const options of [{}, { key: '' }, { key: null, keys: null }, { key: '', keys: [] }]) {
    const exchange = await through(options, { 'x-api-key': 'whatever' })
    assert.is(exchange.principal, undefined)
    assert.is(exchange.tenant, undefined)
  }
})

test('takes the key from either header, the scheme in any case', async () => {
  const given = [
    { 'x-api-key': 'secret' },
    { authorization: 'Bearer secret' },
    { authorization: 'bearer secret' },
    { authorization: 'BEARER   secret' },
  ]
  for (const headers of given) assert.is((await through({ key: 'secret' }, headers)).principal, 'default')
})

test('takes the right key beside a wrong one', async () => {
  assert.ok(await through({ key: 'secret' }, { 'x-api-key': 'sk-vendor', authorization: 'Bearer secret' }))
  assert.ok(await through({ key: 'secret' }, { 'x-api-key': 'secret', authorization: 'Bearer sk-vendor' }))
})

test('refuses a missing, empty, wrong, longer, shorter or differently sent key', async () => {
  const given: Exchange['headers'][] = [
    {},
    { 'x-api-key': '' },
    { authorization: 'Bearer ' },
    { authorization: 'Bearer' },
    { 'x-api-key': 'Secret' },
    { 'x-api-key': 'secret2' },
    { 'x-api-key': 'secre' },
    { 'x-api-key': 'Bearer secret' },
    { authorization: 'secret' },
    { authorization: 'Basic secret' },
    { 'x-goog-api-key': 'secret' },
  ]
  for (const headers of given) await refusal({ key: 'secret' }, headers)
})

test('says which headers to send, and no key', async () => {
  for (const headers of [{}, { 'x-api-key': 'a-wrong-key' }]) {
    const message = await refusal({ key: 'secret', keys: KEYS }, headers)
    assert.match(message, 'X-API-Key')
    assert.match(message, 'Authorization: Bearer')
    assert.not.match(message, /secret|key-of|a-wrong-key/)
  }
})

test('names the holder of each key', async () => {
  const options = { key: 'secret', keys: KEYS }
  assert.is((await through(options, { 'x-api-key': 'secret' })).principal, 'default')
  assert.is((await through(options, { 'x-api-key': 'key-of-ann' })).principal, 'ann')
  assert.is((await through(options, { authorization: 'Bearer key-of-bob' })).principal, 'bob')
})

test('says who may administer: `key`, and those of `keys` with `admin`', async () => {
  const [ann, bob] = KEYS
  const options = { key: 'secret', keys: [{ ...ann, admin: true }, bob], required: false }
  const of = async (given: object, key?: string) =>
    (await through(given, key === undefined ? {} : { 'x-api-key': key })).mayAdminister
  assert.is(await of(options, 'secret'), true)
  assert.is(await of(options, 'key-of-ann'), true)
  assert.is(await of(options, 'key-of-bob'), false)
  assert.is(await of(options), false)
  assert.is(await of({}), undefined)
  assert.is(await of({}, 'secret'), undefined)
  assert.is(await of({ forward_client_credentials: true }, 'secret'), undefined)
})

test('keeps cache entries apart by key once there are several, or always, or never', async () => {
  const tenant = async (options: object, key: string): Promise<string | undefined> =>
    (await through(options, { 'x-api-key': key })).tenant
  assert.is(await tenant({ key: 'secret' }, 'secret'), undefined)
  assert.is(await tenant({ keys: KEYS.slice(0, 1) }, 'key-of-ann'), undefined)
  assert.is(await tenant({ keys: KEYS }, 'key-of-ann'), 'ann')
  assert.is(await tenant({ key: 'secret', keys: KEYS.slice(0, 1) }, 'secret'), 'default')
  assert.is(await tenant({ key: 'secret', cache_scope: 'key' }, 'secret'), 'default')
  assert.is(await tenant({ keys: KEYS, cache_scope: 'global' }, 'key-of-ann'), undefined)
})

test('where no key is required none is fine and a wrong one is not', async () => {
  const options = { key: 'secret', required: false }
  assert.is((await through(options)).principal, undefined)
  assert.is((await through(options, { 'x-api-key': 'secret' })).principal, 'default')
  await refusal(options, { 'x-api-key': 'wrong' })
})

test('who comes without a key where none is required gets a namespace apart, once keys are configured', async () => {
  const namespace = async (options: object, key?: string) =>
    (await through({ required: false, ...options }, key === undefined ? {} : { 'x-api-key': key })).namespace
  const { namespace: own } = new TestExchange()
  assert.is(await namespace({}), own)
  assert.is(await namespace({ key: 'secret' }, 'secret'), own)
  assert.is(await namespace({ key: 'secret' }), 'keyless')
  assert.is(await namespace({ keys: KEYS, keyless_namespace: 'guests' }), 'guests')
})

test('refuses two keys of one label', () => {
  const valid = (options: object): boolean => auth.options.safeParse(options).success
  assert.ok(valid({ key: 'secret', keys: KEYS }))
  assert.not.ok(valid({ keys: [...KEYS, { key: 'third', label: 'ann' }] }))
  assert.not.ok(valid({ key: 'secret', keys: [{ key: 'other', label: 'default' }] }))
  assert.ok(valid({ keys: [{ key: 'other', label: 'default' }] }))
  assert.not.ok(valid({ keys: [{ key: '', label: 'ann' }] }))
})

test('is active only with a key', () => {
  for (const [options, status] of [
    [{}, 'disabled'],
    [{ key: 'secret' }, 'active'],
  ] as const) {
    const host = testHost('layer')
    host.apply(auth, options)
    assert.is(host.offer(health)?.(), status)
  }
})

test.run()
