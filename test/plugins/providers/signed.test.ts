import { createHash, createHmac } from 'node:crypto'
import { type JsonObject, NO_CALL, type ProviderCall, promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { aliases } from '../../../plugins/providers/index.ts'
import { scopeOf } from '../../../plugins/providers/signed/scope.ts'
import plugin from '../../../plugins/providers/signed.ts'
import { ManualClock, testHost } from '../../contracts/host.ts'
import { checkProvider } from '../../contracts/provider.ts'
import { waiting } from '../../contracts/waiting.ts'
import { startUpstream, type Upstream, type VendorCall } from '../../support/upstream.ts'
import { failure, readFrames } from './vendor-faults.ts'

const ID = 'AKIDEXAMPLE'
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const WRONG = SECRET.toLowerCase()
const TOKEN = 'IQoJb3JpZ2luX2VjEXAMPLE//////////wEaCXVz=='
const REGION = 'eu-west-1'

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, one => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

/** The signature of a request as it arrived, by the published algorithm; what the vendor would compare. */
function signatureOf({ method, path, headers, raw }: VendorCall, signed: readonly string[], scope: string): string {
  const { pathname, searchParams } = new URL(path, 'http://stub')
  const query = [...searchParams].map(pair => pair.map(encoded).join('=')).sort()
  const request = [
    method,
    pathname.split('/').map(encoded).join('/'),
    query.join('&'),
    ...signed.map(name => `${name}:${String(headers[name]).trim()}`),
    '',
    signed.join(';'),
    sha256(raw),
  ].join('\n')
  const key = scope.split('/').reduce<string | Buffer>((before, part) => hmac(before, part), `AWS4${SECRET}`)
  const text = ['AWS4-HMAC-SHA256', String(headers['x-amz-date']), scope, sha256(request)].join('\n')
  return hmac(key, text).toString('hex')
}

/** Is the request signed for this service, over its date, host and token? */
function isSigned(call: VendorCall, service: string, token: string | undefined): boolean {
  const { authorization = '', 'x-amz-date': date, 'x-amz-security-token': shown } = call.headers
  const form = /^AWS4-HMAC-SHA256 Credential=(\w+)\/([\w/-]+), SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/
  const [, id, scope = '', names = '', signature] = form.exec(authorization) ?? []
  const signed = names.split(';')
  const owed = ['host', 'x-amz-date', ...(token === undefined ? [] : ['x-amz-security-token'])]
  return (
    id === ID &&
    shown === token &&
    scope === `${String(date).slice(0, 8)}/${REGION}/${service}/aws4_request` &&
    owed.every(name => signed.includes(name)) &&
    signature === signatureOf(call, signed, scope)
  )
}

const FORMATS = { 'chat-completions': chatCompletions, messages, responses }

interface Bench {
  readonly upstream: Upstream
  readonly clock: ManualClock
  readonly logged: readonly unknown[]
  ask(body: JsonObject, more?: Partial<ProviderCall>, format?: keyof typeof FORMATS): Promise<unknown>
}

/** A vendor that answers only to what is rightly signed. */
async function bench(
  run: (bench: Bench) => Promise<void>,
  options: Record<string, unknown> = {},
  { name = 'bedrock', service = 'bedrock', token = undefined as string | undefined } = {},
): Promise<void> {
  const upstream = await startUpstream()
  upstream.script(call =>
    isSigned(call, service, token)
      ? {}
      : {
          status: 403,
          json: { message: `The request signature we calculated does not match. ${TOKEN} ${WRONG} ${ID}` },
        },
  )
  const clock = new ManualClock()
  const host = testHost('provider', { name, clock })
  const given = { ...aliases[name]?.options, url: upstream.url, region: REGION, ...options }
  const provider = host.apply(plugin, given)
  await host.start()
  const key = provider.keys?.()[0]?.key
  const ask: Bench['ask'] = async (body, more = {}, format = 'chat-completions') => {
    const prompt = promptOf(FORMATS[format], Buffer.from(JSON.stringify(body)), body)
    const facts = { model: undefined, stream: prompt.stream, key, requestId: 'r1', headers: {} }
    const answer = await provider.complete({ prompt, ...facts, ...waiting(), ...more })
    if (answer.kind !== 'live') return answer
    assert.is((await readFrames(answer)).error, undefined)
    return answer.whole
  }
  try {
    await run({ upstream, clock, logged: host.logged, ask })
  } finally {
    await host.dispose()
    await upstream.close()
  }
}

const BODY = { model: 'openai.gpt-oss-20b-1:0', messages: [{ role: 'user', content: 'grüße, "1 + 1"?' }] }
const SIGNING = { access_key_id: ID, secret_access_key: SECRET }

const withVendor =
  (status?: number, silent = false) =>
  async () => {
    const upstream = await startUpstream()
    upstream.script({ ...(status !== undefined && { status }), silent })
    const host = testHost('provider')
    return {
      provider: host.apply(plugin, { url: upstream.url, region: REGION, api_key: `${ID}:${SECRET}` }),
      call: { key: `${ID}:${SECRET}` },
      dispose: async () => {
        await host.dispose()
        await upstream.close()
      },
    }
  }
checkProvider('signed', withVendor(), { broken: withVendor(500), silent: withVendor(undefined, true) })

for (const stream of [false, true])
  for (const [name, format, body] of [
    ['bedrock', 'chat-completions', BODY],
    ['bedrock-messages', 'messages', { ...BODY, max_tokens: 9 }],
    ['bedrock-responses', 'responses', { model: BODY.model, input: 'hello' }],
    ['bedrock', 'messages', { ...BODY, max_tokens: 9 }],
  ] as const)
    test(`${name}: the bytes that go out are signed, for a client of ${format}, ${stream ? 'streamed' : 'whole'}`, () =>
      bench(
        async ({ upstream, ask }) => {
          await ask({ ...body, stream }, {}, format)
          assert.is(upstream.calls.length, 1)
          assert.is(upstream.calls[0]?.headers['x-amz-security-token'], undefined)
        },
        SIGNING,
        { name },
      ))

test('a query of the client is signed with the rest', () =>
  bench(
    async ({ upstream, ask }) => {
      const body = { ...BODY, max_tokens: 9 }
      const call = { ...NO_CALL, query: new URLSearchParams({ beta: "it's" }) }
      await ask(body, { prompt: promptOf(messages, Buffer.from(JSON.stringify(body)), body, call) })
      assert.match(upstream.calls[0]?.path ?? '', 'beta=it')
    },
    SIGNING,
    { name: 'bedrock-messages' },
  ))

test('temporary credentials show their token, which is signed as well', () =>
  bench(({ ask }) => ask(BODY).then(() => {}), { ...SIGNING, session_token: TOKEN }, { token: TOKEN }))

test('one text holds the credentials where there is place for one', () =>
  bench(({ ask }) => ask(BODY).then(() => {}), { api_key: `${ID}:${SECRET}:${TOKEN}` }, { token: TOKEN }))

test('each attempt is signed anew, as of its time', () =>
  bench(async ({ upstream, clock, ask }) => {
    await ask(BODY)
    await clock.advance(86_400_000)
    await ask(BODY)
    const days = upstream.calls.map(({ headers }) => String(headers['x-amz-date']).slice(0, 8))
    assert.is(new Set(days).size, 2)
  }, SIGNING))

test('a wrong secret is our credential at fault, and none of it is shown', () =>
  bench(
    async ({ ask, logged }) => {
      const error = await failure(ask(BODY))
      assert.is(error.reason, 'credential')
      const shown = JSON.stringify([error.message, error.vendor, logged])
      assert.match(shown, 'does not match')
      for (const secret of [TOKEN, WRONG, ID]) assert.not.match(shown, secret)
    },
    { api_key: `${ID}:${WRONG}:${TOKEN}` },
    { token: TOKEN },
  ))

test('a bearer key is sent as it is, without a signature', async () => {
  const upstream = await startUpstream()
  const host = testHost('provider', { name: 'bedrock' })
  const provider = host.apply(plugin, { ...aliases.bedrock?.options, url: upstream.url, api_key: 'ABSKQmVk' })
  const prompt = promptOf(chatCompletions, Buffer.from(JSON.stringify(BODY)), BODY)
  const facts = { model: undefined, stream: false, key: 'ABSKQmVk', requestId: 'r1', headers: {} }
  await provider.complete({ prompt, ...facts, ...waiting() })
  const { authorization, ...headers } = upstream.calls[0]?.headers ?? {}
  assert.is(authorization, 'Bearer ABSKQmVk')
  assert.is(headers['x-amz-date'], undefined)
  await host.dispose()
  await upstream.close()
})

test('region and service are those of the host', () => {
  assert.equal(scopeOf('https://bedrock-runtime.us-gov-west-1.amazonaws.com/openai/v1', undefined), {
    region: 'us-gov-west-1',
    service: 'bedrock',
  })
  const mantle = scopeOf('https://bedrock-mantle.eu-west-1.api.aws/anthropic', undefined)
  assert.equal(mantle, { region: 'eu-west-1', service: 'bedrock-mantle' })
  assert.equal(scopeOf('https://mine.example.com', REGION), { region: REGION, service: 'bedrock' })
})

test('options that could not be signed with are refused', () => {
  const accepted = (options: Record<string, unknown>) =>
    plugin.options.safeParse({ api_key: `${ID}:${SECRET}`, ...options }).error?.issues[0]?.message
  assert.is(accepted({ url: 'https://bedrock-runtime.us-gov-west-1.amazonaws.com/openai/v1' }), undefined)
  assert.is(accepted({ url: 'https://bedrock-mantle.eu-west-1.api.aws/v1' }), undefined)
  assert.is(accepted({ ...aliases.bedrock?.options, region: REGION }), undefined)
  assert.match(accepted({ ...aliases.bedrock?.options }) ?? '', 'region')
  assert.match(accepted({ url: 'https://gateway.example.com/v1' }) ?? '', 'set region')
  assert.match(accepted({ url: 'https://x.y/v1', region: 'a b' }) ?? '', 'must be a region')
  assert.match(accepted({ url: 'https://x.y/v1', region: REGION, api_key: 'A:b c' }) ?? '', 'ID:SECRET')
  assert.match(accepted({ url: 'https://x.y/v1', region: REGION, api_key: 'A:b:ü' }) ?? '', 'ID:SECRET')
  assert.match(accepted({ url: 'https://x.y/v1', region: REGION, access_key_id: ID }) ?? '', 'together')
})

test.run()
