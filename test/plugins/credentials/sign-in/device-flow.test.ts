import { type Credential, CredentialError, type DeviceGrant, signInByDevice, signIns } from 'deflector/credentials'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Authority, startAuthority } from '../../../support/authority.ts'

const NOW = Date.UTC(2026, 0, 1)
const DEVICE = '/device'
const TOKEN = '/token'

const CODE = { device_code: 'device-secret', user_code: 'ABCD-1234', verification_uri: 'https://example.test/device' }
const PENDING = { status: 428, json: { error: 'authorization_pending' } }
const GRANTED = { json: { access_token: 'gho_token', token_type: 'bearer', scope: 'read:user' } }

interface Flow {
  readonly result: Promise<Credential>
  /** Every sleep, in seconds. */
  readonly sleeps: number[]
  readonly shown: DeviceGrant[]
}

/** Runs a sign-in against the authority; time passes only in its sleeps. */
function flow(name: string, values: Readonly<Record<string, string>>): Flow {
  const signIn = signIns.get(name)
  if (!signIn) throw new Error(`there is no sign-in ${name}`)
  const sleeps: number[] = []
  const shown: DeviceGrant[] = []
  let time = 0
  const clock = {
    now: () => NOW + time,
    monotonic: () => time,
    sleep: async (ms: number) => {
      sleeps.push(ms / 1000)
      time += ms
    },
  }
  return { result: signInByDevice(signIn, values, clock, grant => shown.push(grant)), sleeps, shown }
}

const copilot = ({ url }: Authority): Flow =>
  flow('copilot', { client_id: 'app', scope: 'read:user', device_url: url + DEVICE, token_url: url + TOKEN })

async function refusal(result: Promise<unknown>): Promise<string> {
  const error = await result.then(
    () => undefined,
    thrown => thrown,
  )
  assert.instance(error, CredentialError)
  assert.not.match(error.message, /device-secret|gho_token/)
  return error.message
}

test('polls until the code is confirmed, never earlier than the server wants', async () => {
  const authority = await startAuthority()
  authority.script(DEVICE, { json: { ...CODE, interval: 5, expires_in: 900 } })
  authority.script(TOKEN, PENDING, { json: { error: 'authorization_pending' } }, GRANTED)
  const { result, sleeps, shown } = copilot(authority)
  const token = await result
  assert.equal(sleeps, [8, 8, 8])
  assert.is(shown[0]?.userCode, 'ABCD-1234')
  assert.is(shown[0]?.url, 'https://example.test/device')
  assert.equal(token, {
    kind: 'token',
    access_token: 'gho_token',
    scopes: ['read:user'],
    sign_in: 'copilot',
    means: { token_url: authority.url + TOKEN, client_id: 'app' },
    stored_at: NOW + 24_000,
  })
  assert.equal(authority.calls[0], { path: DEVICE, body: { client_id: 'app', scope: 'read:user' } })
  const poll = { client_id: 'app', device_code: 'device-secret' }
  assert.equal(authority.calls[1], {
    path: TOKEN,
    body: { ...poll, grant_type: 'urn:ietf:params:oauth:grant-type:device_code' },
  })
})

test('slow_down makes every later poll slower, by five seconds or as the server says', async () => {
  const authority = await startAuthority()
  authority.script(DEVICE, { json: { ...CODE, interval: 5, expires_in: 900 } })
  const slower = { json: { error: 'slow_down' } }
  authority.script(TOKEN, slower, PENDING, { json: { error: 'slow_down', interval: 30 } }, GRANTED)
  const { result, sleeps } = copilot(authority)
  await result
  assert.equal(sleeps, [8, 13, 13, 33])
})

test('a server that is away for a while, or says nonsense with 5xx, is asked again, less often', async () => {
  const authority = await startAuthority()
  authority.script(DEVICE, { json: { ...CODE, interval: 5, expires_in: 900 } })
  authority.script(TOKEN, { status: 502, text: '<html>' }, PENDING, GRANTED)
  const { result, sleeps } = copilot(authority)
  await result
  assert.equal(sleeps, [8, 13, 13])
})

test('a denial and an expired code end it, as does any other refusal', async () => {
  for (const [answer, said] of [
    [{ status: 400, json: { error: 'access_denied' } }, /denied in the browser/],
    [{ status: 400, json: { error: 'expired_token' } }, /not confirmed in time/],
    [
      { status: 400, json: { error: 'invalid_client', error_description: 'no such\napp' } },
      /invalid_client: no such app/,
    ],
    [{ text: 'not json' }, /refused the sign-in \(status 200\)/],
  ] as const) {
    const authority = await startAuthority()
    authority.script(DEVICE, { json: { ...CODE, interval: 1 } })
    authority.script(TOKEN, PENDING, answer)
    assert.match(await refusal(copilot(authority).result), said)
    await authority.close()
  }
})

test('a code that is never confirmed ends with its life, without a poll after it', async () => {
  const authority = await startAuthority()
  authority.script(DEVICE, { json: { ...CODE, interval: 5, expires_in: 20 } })
  authority.script(TOKEN, PENDING)
  const { result, sleeps } = copilot(authority)
  assert.match(await refusal(result), /not confirmed in time/)
  assert.equal(sleeps, [8, 8])
})

test('a refused or unreachable device endpoint is told, and an address that others can read is not asked', async () => {
  const authority = await startAuthority()
  authority.script(DEVICE, { status: 400, json: { error: 'invalid_scope' } })
  assert.match(await refusal(copilot(authority).result), /invalid_scope/)
  await authority.close()
  assert.match(await refusal(copilot(authority).result), /ECONNREFUSED.*try again later/)
  const open = flow('copilot', { client_id: 'app', device_url: 'http://login.example.com/device' })
  assert.match(await refusal(open.result), /no https address/)
})

test("Google's answers have another name for the address, and a secret that polls need", async () => {
  const authority = await startAuthority()
  const { verification_uri: verification_url, ...code } = CODE
  authority.script(DEVICE, { json: { ...code, verification_url, interval: 0 } })
  authority.script(TOKEN, PENDING, {
    json: { access_token: 'ya29', refresh_token: '1//r', expires_in: 3599, scope: 'a b' },
  })
  const { url } = authority
  const values = { client_id: 'id', client_secret: 'secret', project: 'mine', revoke_url: `${url}/revoke` }
  const token = await flow('gemini', { ...values, device_url: url + DEVICE, token_url: url + TOKEN }).result
  assert.equal(token, {
    kind: 'token',
    access_token: 'ya29',
    refresh_token: '1//r',
    expires_at: NOW + 3_599_000,
    scopes: ['a', 'b'],
    sign_in: 'gemini',
    means: { token_url: url + TOKEN, revoke_url: `${url}/revoke`, client_id: 'id', client_secret: 'secret' },
    headers: { authorization: 'Bearer {token}', 'x-goog-user-project': 'mine' },
    stored_at: NOW,
  })
  assert.is(authority.calls[1]?.body.client_secret, 'secret')
})

test('the identity center registers a client first, and is told where to start', async () => {
  const authority = await startAuthority()
  const client = { clientId: 'c', clientSecret: 's' }
  authority.script('/client/register', { json: { ...client, clientSecretExpiresAt: 1 } })
  const code = { deviceCode: 'device-secret', userCode: 'WXYZ', verificationUri: 'https://v.test', expiresIn: 600 }
  authority.script('/device_authorization', {
    json: { ...code, interval: 1, verificationUriComplete: 'https://v.test?c' },
  })
  const pending = { status: 400, json: { error: 'authorization_pending', error_description: '' } }
  authority.script(TOKEN, pending, { json: { accessToken: 'aoa', refreshToken: 'aor', expiresIn: 3600 } })
  const { url } = authority
  const { result, shown, sleeps } = flow('kiro', {
    url,
    region: 'eu-west-1',
    start_url: 'https://s.test',
    scope: 'a b',
  })
  const token = await result
  assert.is(token.kind === 'token' ? token.refresh_token : '', 'aor')
  assert.equal(token.kind === 'token' && token.means, { url, region: 'eu-west-1', ...client })
  assert.is(shown[0]?.completeUrl, 'https://v.test?c')
  assert.equal(sleeps, [2, 2])
  assert.equal(authority.calls[0]?.body.scopes, ['a', 'b'])
  assert.equal(authority.calls[1]?.body, { ...client, startUrl: 'https://s.test' })
  const grantType = 'urn:ietf:params:oauth:grant-type:device_code'
  assert.equal(authority.calls[2]?.body, { ...client, deviceCode: 'device-secret', grantType })
})

test.run()
