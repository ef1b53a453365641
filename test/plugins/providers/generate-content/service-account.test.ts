import { generateKeyPairSync, verify } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ProviderCall, promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import plugin from '../../../../plugins/providers/generate-content.ts'
import { aliases } from '../../../../plugins/providers/index.ts'
import { ManualClock, testHost } from '../../../contracts/host.ts'
import { waiting } from '../../../contracts/waiting.ts'
import { opened } from '../../../support/opened.ts'
import { startUpstream, type Upstream } from '../../../support/upstream.ts'
import { failure } from '../vendor-faults.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

interface Grant {
  readonly status: number
  readonly body: unknown
}

/** Where assertions become tokens: each gets a new one. */
async function startAuthority() {
  const grants: URLSearchParams[] = []
  const script: Grant[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    grants.push(new URLSearchParams(Buffer.concat(chunks).toString()))
    const { status, body } = script.shift() ?? {
      status: 200,
      body: { access_token: `ya29.${grants.length}`, expires_in: 3600, token_type: 'Bearer' },
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  opened(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/token`, grants, script: (...replies: Grant[]) => script.push(...replies) }
}

const accountOf = (token_uri: string): Record<string, unknown> => ({
  type: 'service_account',
  client_email: 'me@project.iam.gserviceaccount.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  private_key_id: 'kid-1',
  token_uri,
})

interface Bench {
  readonly upstream: Upstream
  readonly authority: Awaited<ReturnType<typeof startAuthority>>
  readonly clock: ManualClock
  readonly account: Record<string, unknown>
  ask(body?: Record<string, unknown>, more?: Partial<ProviderCall>, format?: typeof chatCompletions): Promise<unknown>
}

const BODY = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }

async function bench(run: (bench: Bench) => Promise<void>, options: Record<string, unknown> = {}): Promise<void> {
  const upstream = await startUpstream()
  upstream.script(() => ({
    json: { candidates: [{ content: { role: 'model', parts: [{ text: 'hi' }] }, finishReason: 'STOP' }] },
  }))
  const authority = await startAuthority()
  const clock = new ManualClock()
  const host = testHost('provider', { name: 'vertex', clock })
  const url = `http://127.0.0.1:${upstream.port}/v1/projects/p/locations/l/publishers/google`
  const provider = host.apply(plugin, { ...aliases.vertex?.options, url, ...options })
  const account = accountOf(authority.url)
  const ask: Bench['ask'] = (body = BODY, more = {}, format = generateContent) => {
    const prompt = promptOf(format, Buffer.from(JSON.stringify(body)), body)
    const facts = { stream: false, key: JSON.stringify(account), requestId: 'r1', headers: {} }
    return provider.complete({ prompt, model: 'gemini-3.1-flash-lite', ...facts, ...waiting(), ...more })
  }
  try {
    await run({ upstream, authority, clock, account, ask })
  } finally {
    await host.dispose()
    await upstream.close()
  }
}

const decoded = (part: string | undefined): unknown => JSON.parse(Buffer.from(part ?? '', 'base64url').toString())

test('a service account signs for a token, and only that goes to the model', () =>
  bench(async ({ upstream, authority, clock, ask }) => {
    await ask()
    const [grant] = authority.grants
    assert.is(grant?.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer')
    const [head, claims, signature] = (grant?.get('assertion') ?? '').split('.')
    assert.equal(decoded(head), { alg: 'RS256', typ: 'JWT', kid: 'kid-1' })
    const iat = Math.floor(clock.now() / 1000)
    assert.equal(decoded(claims), {
      iss: 'me@project.iam.gserviceaccount.com',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: authority.url,
      iat,
      exp: iat + 3600,
    })
    const signed = Buffer.from(`${head}.${claims}`)
    assert.ok(verify('RSA-SHA256', signed, publicKey, Buffer.from(signature ?? '', 'base64url')))
    const [call] = upstream.calls
    assert.is(call?.path, '/v1/projects/p/locations/l/publishers/google/models/gemini-3.1-flash-lite:generateContent')
    assert.is(call?.headers.authorization, 'Bearer ya29.1')
    assert.not.match(JSON.stringify(call?.headers), 'PRIVATE')
    assert.is(call?.headers['x-goog-api-key'], undefined)
  }))

test('one token serves until five minutes before its end, also of calls at the same time', () =>
  bench(async ({ upstream, authority, clock, ask }) => {
    await Promise.all([ask(), ask(), ask()])
    await clock.advance(3_299_000)
    await ask()
    assert.is(authority.grants.length, 1)
    await clock.advance(1_000)
    await ask()
    assert.is(upstream.calls.at(-1)?.headers.authorization, 'Bearer ya29.2')
  }))

test('a token that is refused is renewed once', () =>
  bench(async ({ upstream, authority, ask }) => {
    await ask()
    upstream.clear()
    upstream.script({ status: 401 }, { status: 401 })
    assert.is((await failure(ask())).reason, 'credential')
    assert.equal(
      upstream.calls.map(({ headers }) => headers.authorization),
      ['Bearer ya29.1', 'Bearer ya29.2'],
    )
    assert.is(authority.grants.length, 2)
  }))

test('an assertion that is not believed is our credential’s fault', () =>
  bench(async ({ authority, ask }) => {
    authority.script({ status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } })
    assert.is((await failure(ask())).reason, 'credential')
    authority.script({ status: 503, body: {} })
    assert.is((await failure(ask())).reason, 'overloaded')
    authority.script({ status: 200, body: { id_token: 'x' } })
    assert.is((await failure(ask())).reason, 'protocol')
  }))

for (const [title, change] of [
  ['text', () => 'AIzaSyCanaryCanary'],
  ['a JSON without a key', () => '{"client_email":"a@b"}'],
  ['a key that is none', (account: object) => JSON.stringify({ ...account, private_key: 'canary' })],
  ['a place that others can read', (account: object) => JSON.stringify({ ...account, token_uri: 'http://a.example' })],
] as const)
  test(`${title} in place of a service account is named, and not shown`, () =>
    bench(async ({ upstream, authority, account, ask }) => {
      const error = await failure(ask(BODY, { key: change(account) }))
      assert.is(error.reason, 'credential')
      assert.not.match(error.message, /canary|BEGIN PRIVATE/i)
      assert.equal([authority.grants.length, upstream.calls.length], [0, 0])
    }))

test('fields and ids that only the vendor’s other endpoint takes stay here', () =>
  bench(async ({ upstream, ask }) => {
    const call = { id: 'c1', name: 'look', args: { id: 'kept' } }
    const contents = [
      ...BODY.contents,
      { role: 'model', parts: [{ functionCall: call, thoughtSignature: 'c2ln' }] },
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'look', response: { id: 'kept' } } }] },
    ]
    await ask({ contents, serviceTier: 'flex' })
    const { contents: sent, ...rest } = upstream.calls[0]?.body ?? {}
    assert.equal(rest, {})
    assert.equal(Array.isArray(sent) && sent.slice(1).map(({ parts }) => parts), [
      [{ functionCall: { name: 'look', args: { id: 'kept' } }, thoughtSignature: 'c2ln' }],
      [{ functionResponse: { name: 'look', response: { id: 'kept' } } }],
    ])
    upstream.clear()
    const history = [
      { role: 'user', content: 'look' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
    ]
    upstream.script({ json: { candidates: [{ content: { parts: [{ text: 'hi' }] }, finishReason: 'STOP' }] } })
    await ask({ messages: history }, {}, chatCompletions)
    assert.not.match(upstream.calls[0]?.raw.toString() ?? '', '"id"')
  }))

test('an access token or a key of the express mode is sent as it is', async () => {
  for (const [auth, header, value] of [
    ['bearer', 'authorization', 'Bearer given'],
    ['x-goog-api-key', 'x-goog-api-key', 'given'],
  ] as const)
    await bench(
      async ({ upstream, authority, ask }) => {
        await ask(BODY, { key: 'given' })
        assert.is(upstream.calls[0]?.headers[header], value)
        assert.is(authority.grants.length, 0)
      },
      { auth },
    )
})

test('the holes of its URL are named', () => {
  const { error } = plugin.options.safeParse(aliases.vertex?.options)
  assert.match(error?.message ?? '', 'fill in the {location}')
})

test.run()
