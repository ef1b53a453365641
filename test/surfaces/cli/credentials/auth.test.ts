import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Authority, startAuthority } from '../../../support/authority.ts'
import { startUpstream } from '../../../support/upstream.ts'
import { type Ended, inShell } from '../command.ts'
import { FREE, up } from '../gateway.ts'

const CANARY = /canary/
const CODE = {
  device_code: 'canary-device',
  user_code: 'ABCD-1234',
  verification_uri: 'https://example.test/device',
  interval: 0,
  expires_in: 900,
}
const PENDING = { json: { error: 'authorization_pending' } }

/** The sign-in of a vendor at an authority of this machine, and no keyring. */
const at = ({ url }: Authority, vendor: string): Record<string, string> => ({
  SERVICE__CREDENTIAL_KEYRING: 'false',
  [`SERVICE__SIGN_IN__${vendor}__CLIENT_ID`]: 'app',
  [`SERVICE__SIGN_IN__${vendor}__CLIENT_SECRET`]: 'canary-client',
  [`SERVICE__SIGN_IN__${vendor}__DEVICE_URL`]: `${url}/device`,
  [`SERVICE__SIGN_IN__${vendor}__TOKEN_URL`]: `${url}/token`,
})

const saysNothing = ({ stdout, stderr }: Ended): void => assert.not.match(stdout + stderr, CANARY)

test(
  'auth shows a code, waits until it is confirmed, and status and logout know of it',
  inShell(async shell => {
    const authority = await startAuthority()
    authority.script('/device', { json: CODE })
    authority.script('/token', PENDING, PENDING, {
      json: { access_token: 'canary-token-0123456789', scope: 'read:user' },
    })
    const env = at(authority, 'COPILOT')
    const signedIn = await shell.run(['auth', 'github-copilot'], env)
    assert.is(signedIn.code, 0, signedIn.stderr)
    assert.match(
      signedIn.stdout,
      'open https://example.test/device\nand confirm the code ABCD-1234\nsigned in: copilot',
    )
    assert.match(signedIn.stderr, /against its terms of service/)
    saysNothing(signedIn)
    assert.is(authority.calls.length, 4)

    const status = await shell.run(['auth', 'status'], env)
    assert.match(status.stdout, /^provider +kind +credential +expires +stored\ncopilot +sign-in +ca…89 +never +20\d\d-/)
    assert.not.match(status.stdout, 'canary-token')
    const logout = await shell.run(['auth', 'logout', 'copilot'], env)
    assert.match(logout.stdout, /removed: the credential of copilot\nto end it at the vendor.*github\.com\/settings/)
    assert.is((await shell.run(['auth', 'status'], env)).stdout, 'nothing is stored\n')
    const again = await shell.run(['auth', 'logout', 'copilot'], env)
    assert.is(again.code, 1)
    assert.match(again.stderr, /nothing is stored for copilot/)
  }),
)

test(
  'a denial stores nothing and says so',
  inShell(async shell => {
    const authority = await startAuthority()
    authority.script('/device', { json: CODE })
    authority.script('/token', PENDING, { json: { error: 'access_denied' } })
    const denied = await shell.run(['auth', 'copilot'], at(authority, 'COPILOT'))
    assert.is(denied.code, 1)
    assert.match(denied.stderr, /the sign-in was denied in the browser; nothing was stored/)
    saysNothing(denied)
    assert.match((await shell.run(['auth', 'status'])).stdout, /nothing is stored/)
  }),
)

test(
  'a gateway sends a token that was signed in for, renews one that ends, and logout ends it at the vendor',
  inShell(async shell => {
    const [authority, upstream] = [await startAuthority(), await startUpstream()]
    authority.script('/device', { json: CODE })
    const token = { refresh_token: 'canary-refresh', expires_in: 3600 }
    authority.script(
      '/token',
      { json: { access_token: 'canary-1', ...token, expires_in: 1 } },
      { json: { access_token: 'canary-2', ...token } },
    )
    authority.script('/revoke', { json: {} })
    const env = {
      ...at(authority, 'GEMINI'),
      SERVICE__SIGN_IN__GEMINI__REVOKE_URL: `${authority.url}/revoke`,
      SERVICE__LLM_PROVIDER: 'gemini',
      SERVICE__EXTERNAL_LLM_URL: upstream.url,
      SERVICE__LOG_LEVEL: 'debug',
    }
    const signedIn = await shell.run(['auth', 'gemini'], env)
    assert.is(signedIn.code, 0, signedIn.stderr)
    const { gateway, url } = await up(shell, FREE, env)
    const body = JSON.stringify({ prompt: 'hello' })
    await (await fetch(`${url}/api/chat`, { method: 'POST', body })).text()
    assert.is(upstream.calls[0]?.headers.authorization, 'Bearer canary-2')
    assert.is(upstream.calls[0]?.headers['x-goog-api-key'], undefined)
    assert.is(authority.calls.at(-1)?.body.refresh_token, 'canary-refresh')
    const status = await shell.run(['auth', 'status'], env)
    assert.match(status.stdout, /gemini +sign-in +… +20\d\d-\S+ \S+Z \(is renewed\)/)
    saysNothing(status)
    gateway.child.kill('SIGTERM')
    saysNothing(await gateway.ended)
    const logout = await shell.run(['auth', 'logout', 'google'], env)
    assert.match(logout.stdout, /the vendor was told to end it/)
    assert.is(authority.calls.at(-1)?.body.token, 'canary-refresh')
    for (const name of readdirSync(join(shell.dataDir, 'credentials')))
      assert.not.match(readFileSync(join(shell.dataDir, 'credentials', name), 'latin1'), CANARY)
  }),
)

test(
  'a key is pasted where there is no sign-in, or where its settings are missing',
  inShell(async shell => {
    const env = { SERVICE__CREDENTIAL_KEYRING: 'false' }
    const pasted = await shell.run(['auth', 'anthropic'], env, 'sk-ant-canary-0123456789\n')
    assert.match(pasted.stdout, /stored: the key of anthropic/)
    saysNothing(pasted)
    const token = await shell.run(['auth', 'copilot'], env, 'gho_canary-0123456789\n')
    assert.match(token.stderr, /client_id under \[sign_in\.copilot\], or SERVICE__SIGN_IN__COPILOT__CLIENT_ID/)
    assert.match(token.stdout, /stored: the key of copilot/)
    const file = shell.write('key', 'sk-canary-from-a-file')
    assert.match((await shell.run(['auth', 'openai', '--key-file', file], env)).stdout, /stored: the key of openai/)
    const status = await shell.run(['auth', 'status'], env)
    assert.equal(
      status.stdout.split('\n').map(line => line.split(' ')[0]),
      ['provider', 'anthropic', 'copilot', 'openai', ''],
    )
  }),
)

test(
  'a wrong setting of a sign-in is named with its place, and what cannot be read can be removed',
  inShell(async shell => {
    const env = { SERVICE__CREDENTIAL_KEYRING: 'false', SERVICE__CREDENTIAL_KEY: 'the text of one operator' }
    shell.write('service.toml', '[sign_in.copilot]\nclient_idd = "x"\n')
    const wrong = await shell.run(['auth', 'copilot'], env)
    assert.is(wrong.code, 1)
    assert.match(
      wrong.stderr,
      /service\.toml:2: sign_in\.copilot has no setting "client_idd"; did you mean "client_id"/,
    )
    await shell.run(['auth', 'groq'], env, 'canary-key')
    const other = { ...env, SERVICE__CREDENTIAL_KEY: 'the text of another one' }
    const status = await shell.run(['auth', 'status'], other)
    assert.is(status.code, 1)
    assert.match(status.stdout, /groq +unreadable/)
    assert.match(status.stderr, /SERVICE__CREDENTIAL_KEY is not the text/)
    assert.match((await shell.run(['auth', 'logout', 'groq'], other)).stdout, /removed/)
  }),
)

test.run()
