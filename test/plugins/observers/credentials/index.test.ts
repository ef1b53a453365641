import { rmSync } from 'node:fs'
import { ProviderError } from 'deflector'
import { type Credential, CredentialStore } from 'deflector/credentials'
import { type Credentials, credentials, type StoredCredential } from 'deflector/facets/credentials'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import plugin from '../../../../plugins/observers/credentials/index.ts'
import { ManualClock, testHost } from '../../../contracts/host.ts'
import { type Authority, startAuthority } from '../../../support/authority.ts'
import { tempFolder } from '../../../support/opened.ts'
import { until } from '../../../support/until.ts'

const NAMES = ['gemini']
const CANARY = /canary/

interface Opened {
  readonly live: Credentials
  readonly clock: ManualClock
  readonly found: () => StoredCredential
  readonly logged: readonly unknown[]
  close(): Promise<void>
}

/** The observer of one gateway on a data directory. */
async function open(dataDir: string): Promise<Opened> {
  const host = testHost('observer')
  host.apply(plugin, { data_dir: dataDir, keyring: false })
  await host.start()
  const live = host.offer(credentials)
  if (!live) throw new Error('it offers nothing')
  return {
    live,
    clock: host.clock,
    logged: host.logged,
    found: () => live.find(NAMES) ?? { name: '', key: '' },
    close: async () => {
      assert.not.match(JSON.stringify(host.logged), CANARY)
      await host.dispose()
    },
  }
}

const storeIn = (dataDir: string): CredentialStore => new CredentialStore({ dataDir, keyring: false })

/** A token that lives for an hour from the start of the clock. */
function token({ url }: Authority, given: Partial<Extract<Credential, { kind: 'token' }>> = {}): Credential {
  const now = new ManualClock().now()
  return {
    kind: 'token',
    access_token: 'canary-1',
    refresh_token: 'canary-refresh-1',
    expires_at: now + 3_600_000,
    scopes: [],
    sign_in: 'gemini',
    headers: { authorization: 'Bearer {token}', 'x-goog-user-project': 'mine' },
    means: { token_url: `${url}/token`, client_id: 'id', client_secret: 'canary-client' },
    stored_at: now,
    ...given,
  }
}

const answer = (count: number, more: object = {}): { json: object } => ({
  json: { access_token: `canary-${count}`, expires_in: 3600, ...more },
})

/** A folder with one token, and what the authority says to a renewal. */
async function place(
  ...answers: Parameters<Authority['script']>[1][]
): Promise<{ dataDir: string; authority: Authority }> {
  const authority = await startAuthority()
  const dataDir = tempFolder('credentials')
  await storeIn(dataDir).set('gemini', token(authority))
  authority.script('/token', ...answers)
  return { dataDir, authority }
}

const HOUR = 3_600_000

test('a token is sent as it is until shortly before its end, with the headers that show it', async () => {
  const { dataDir, authority } = await place()
  const { live, found, clock, close } = await open(dataDir)
  assert.equal(found(), {
    name: 'gemini',
    key: 'canary-1',
    headers: { authorization: 'Bearer canary-1', 'x-goog-user-project': 'mine' },
  })
  await clock.advance(HOUR - 301_000)
  assert.is((await live.current(found())).key, 'canary-1')
  assert.equal(authority.calls, [])
  await close()
})

test('twenty calls renew it once, and a refresh token that is replaced is stored with it', async () => {
  let release = (): void => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const { dataDir, authority } = await place(
    { ...answer(2, { refresh_token: 'canary-refresh-2' }), until: held },
    answer(3),
  )
  const { live, found, clock, close } = await open(dataDir)
  await clock.advance(HOUR - 299_000)
  const old = found()
  const calls = Array.from({ length: 20 }, () => live.current(old))
  await until('the authority was asked', () => authority.calls.length > 0)
  release()
  for (const { key, headers } of await Promise.all(calls)) {
    assert.is(key, 'canary-2')
    assert.is(headers?.authorization, 'Bearer canary-2')
  }
  assert.is(authority.calls.length, 1)
  assert.equal(authority.calls[0]?.body, {
    client_id: 'id',
    client_secret: 'canary-client',
    refresh_token: 'canary-refresh-1',
    grant_type: 'refresh_token',
  })
  assert.is(found().key, 'canary-2')
  const stored = await storeIn(dataDir).get('gemini')
  assert.equal(stored, {
    ...token(authority, { access_token: 'canary-2', refresh_token: 'canary-refresh-2' }),
    expires_at: clock.now() + HOUR,
    renewed_at: clock.now(),
  })
  // An answer without a refresh token keeps the old one.
  await clock.advance(HOUR)
  assert.is((await live.current(found())).key, 'canary-3')
  assert.is(authority.calls[1]?.body.refresh_token, 'canary-refresh-2')
  const again = await storeIn(dataDir).get('gemini')
  assert.is(again?.kind === 'token' ? again.refresh_token : '', 'canary-refresh-2')
  await close()
})

test('two gateways on one folder renew it once, and both have the new one', async () => {
  const { dataDir, authority } = await place(answer(2, { refresh_token: 'canary-refresh-2' }), {
    status: 400,
    json: {},
  })
  const [one, two] = [await open(dataDir), await open(dataDir)]
  for (const { clock } of [one, two]) await clock.advance(HOUR)
  const keys = await Promise.all([one, two].map(({ live, found }) => live.current(found())))
  assert.equal(
    keys.map(({ key }) => key),
    ['canary-2', 'canary-2'],
  )
  assert.is(authority.calls.length, 1)
  for (const { close } of [one, two]) await close()
})

test('a token that the vendor refuses is renewed, once for all that were refused with it', async () => {
  const { dataDir, authority } = await place(answer(2))
  const { live, found, close } = await open(dataDir)
  const refused = found()
  const renewed = await Promise.all([live.renewed(refused), live.renewed(refused)])
  assert.equal(
    [...renewed, await live.renewed(refused)].map(one => one?.key),
    ['canary-2', 'canary-2', 'canary-2'],
  )
  assert.is(authority.calls.length, 1)
  await close()
})

test('what cannot be renewed stays as it is', async () => {
  const { dataDir, authority } = await place()
  const store = storeIn(dataDir)
  const { refresh_token: _, ...endless } = token(authority) as Extract<Credential, { kind: 'token' }>
  await store.set('gemini', endless)
  const { live, found, clock, close } = await open(dataDir)
  await clock.advance(HOUR * 2)
  assert.is((await live.current(found())).key, 'canary-1')
  assert.is(await live.renewed(found()), undefined)
  await store.set('gemini', { kind: 'key', key: 'canary-key', stored_at: 1 })
  await until('the new one is seen', () => found().key === 'canary-key')
  assert.is(await live.renewed(found()), undefined)
  assert.equal(authority.calls, [])
  await close()
})

async function failure(run: Promise<unknown>): Promise<ProviderError> {
  const error = await run.then(
    () => undefined,
    thrown => thrown,
  )
  assert.instance(error, ProviderError)
  assert.not.match(String(error.stack), CANARY)
  return error
}

test('a refresh token that is no longer taken asks for a new sign-in, and is not sent again', async () => {
  const { dataDir, authority } = await place({ status: 400, json: { error: 'invalid_grant' } })
  const { live, found, clock, close } = await open(dataDir)
  await clock.advance(HOUR)
  for (let time = 0; time < 3; time++) {
    const { reason, message } = await failure(live.current(found()))
    assert.is(reason, 'credential')
    assert.match(message, /the sign-in of gemini is over \(invalid_grant\); run "deflector auth gemini"/)
  }
  assert.is(authority.calls.length, 1)
  await storeIn(dataDir).set('gemini', token(authority, { access_token: 'canary-new', expires_at: clock.now() + HOUR }))
  await until('the new sign-in is seen', () => found().key === 'canary-new')
  assert.is((await live.current(found())).key, 'canary-new')
  await close()
})

test('while the authority is away a token that still lives is sent, and later ones try again', async () => {
  const { dataDir, authority } = await place({ status: 503, text: '' }, answer(2))
  const { live, found, clock, close, logged } = await open(dataDir)
  await clock.advance(HOUR - 200_000)
  assert.is((await live.current(found())).key, 'canary-1')
  assert.is((await live.current(found())).key, 'canary-1')
  assert.is(authority.calls.length, 1)
  assert.match(JSON.stringify(logged), /the token of gemini is not renewed yet/)
  await clock.advance(30_000)
  assert.is((await live.current(found())).key, 'canary-2')
  await close()
})

test('a token that has ended while the authority is away fails the call as the network does', async () => {
  const { dataDir, authority } = await place()
  await authority.close()
  const { live, found, clock, close } = await open(dataDir)
  await clock.advance(HOUR)
  assert.is((await failure(live.current(found()))).reason, 'network')
  await close()
})

test('a generation that ends does not stop the next one from seeing changes', async () => {
  const dataDir = tempFolder('credentials')
  const [old, next] = [await open(dataDir), await open(dataDir)]
  await old.close()
  await storeIn(dataDir).set('gemini', { kind: 'key', key: 'canary-a', stored_at: 1 })
  await until('it is seen', () => next.found().key === 'canary-a')
  assert.is(old.found().key, '')
  await next.close()
})

test('a folder that is removed and made again is still followed', async () => {
  const dataDir = tempFolder('credentials')
  const { found, close } = await open(dataDir)
  const store = storeIn(dataDir)
  await store.set('gemini', { kind: 'key', key: 'canary-a', stored_at: 1 })
  await until('it is seen', () => found().key === 'canary-a')
  rmSync(store.folder, { recursive: true })
  await until('it is gone', () => found().key === '')
  await storeIn(dataDir).set('gemini', { kind: 'key', key: 'canary-b', stored_at: 1 })
  await until('the new one is seen', () => found().key === 'canary-b')
  await close()
})

test('what another process stores, replaces or removes is seen', async () => {
  const dataDir = tempFolder('credentials')
  const { live, close } = await open(dataDir)
  assert.is(live.find(['groq-eu', 'groq']), undefined)
  const store = storeIn(dataDir)
  await store.set('groq', { kind: 'key', key: 'canary-a', stored_at: 1 })
  await until('it is seen', () => live.find(['groq-eu', 'groq'])?.key === 'canary-a')
  await store.set('groq-eu', { kind: 'key', key: 'canary-b', stored_at: 1 })
  await until('the one of the instance comes first', () => live.find(['groq-eu', 'groq'])?.key === 'canary-b')
  await store.remove('groq-eu')
  await until('it is gone', () => live.find(['groq-eu', 'groq'])?.key === 'canary-a')
  await close()
})

test.run()
