import { createHash } from 'node:crypto'
import { CredentialError, signInByBrowser, signIns } from 'deflector/credentials'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Authority, startAuthority } from '../../../support/authority.ts'

const NOW = Date.UTC(2026, 0, 1)

/** Signs in, with `visit` in place of a person who has opened the address. */
function signIn({ url }: Authority, visit: (opened: URL) => Promise<void>, name = 'gemini', limitMs?: number) {
  const found = signIns.get(name)
  if (!found) throw new Error(`there is no sign-in ${name}`)
  const values = {
    client_id: 'id',
    client_secret: 'canary-client',
    scope: 'a b',
    authorize_url: 'https://accounts.example.test/auth?hl=en',
    token_url: `${url}/token`,
  }
  let visited: Promise<void> | undefined
  const show = (opened: string): void => {
    visited = visit(new URL(opened))
  }
  const given = { ...(limitMs !== undefined && { limitMs }), now: () => NOW, show }
  return signInByBrowser({ signIn: found, values, ...given }).finally(() => visited)
}

/** The browser comes back with these parameters. */
async function comesBack(opened: URL, parameters: Record<string, string>): Promise<number> {
  const url = new URL(opened.searchParams.get('redirect_uri') ?? '')
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  const reply = await fetch(url)
  await reply.text()
  return reply.status
}

async function refusal(run: Promise<unknown>): Promise<string> {
  const error = await run.then(
    () => undefined,
    thrown => thrown,
  )
  assert.instance(error, CredentialError)
  assert.not.match(error.message, /canary/)
  return error.message
}

test('a code that comes back is exchanged with the proof that belongs to it', async () => {
  const authority = await startAuthority()
  authority.script('/token', { json: { access_token: 'canary-a', refresh_token: 'canary-r', expires_in: 3600 } })
  let opened = new URL('https://nowhere.test')
  const token = await signIn(authority, async url => {
    opened = url
    const state = url.searchParams.get('state') ?? ''
    assert.is(await comesBack(url, { code: 'canary-forged', state: `${state}x` }), 404)
    assert.is(await comesBack(url, { code: 'canary-code', state }), 200)
  })
  const { redirect_uri = '', state: _, code_challenge, ...asked } = Object.fromEntries(opened.searchParams)
  assert.match(redirect_uri, /^http:\/\/127\.0\.0\.1:\d+\/oauth2callback$/)
  assert.equal(asked, {
    hl: 'en',
    response_type: 'code',
    client_id: 'id',
    scope: 'a b',
    access_type: 'offline',
    prompt: 'consent',
    code_challenge_method: 'S256',
  })
  const [{ code_verifier = '', ...sent } = {}] = authority.calls.map(({ body }) => body)
  assert.equal(sent, {
    client_id: 'id',
    client_secret: 'canary-client',
    code: 'canary-code',
    redirect_uri,
    grant_type: 'authorization_code',
  })
  assert.is(createHash('sha256').update(String(code_verifier)).digest('base64url'), code_challenge)
  assert.is(authority.calls.length, 1)
  assert.is(token.kind === 'token' ? token.refresh_token : '', 'canary-r')
  assert.is(token.kind === 'token' ? token.expires_at : 0, NOW + 3_600_000)
})

test('a denial, a refused code and a person who never comes end it', async () => {
  const authority = await startAuthority()
  authority.script('/token', { status: 400, json: { error: 'invalid_grant' } })
  const back = (parameters: Record<string, string>) => async (opened: URL) => {
    await comesBack(opened, { ...parameters, state: opened.searchParams.get('state') ?? '' })
  }
  assert.match(await refusal(signIn(authority, back({ error: 'access_denied' }))), /denied in the browser/)
  assert.equal(authority.calls, [])
  assert.match(await refusal(signIn(authority, back({ code: 'canary-code' }))), /invalid_grant/)
  assert.match(await refusal(signIn(authority, async () => {}, 'gemini', 1)), /nobody signed in in time/)
  assert.match(await refusal(signIn(authority, async () => {}, 'copilot')), /copilot has no sign-in by browser/)
})

test.run()
