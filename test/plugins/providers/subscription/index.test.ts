import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Provider, ProviderCall } from 'deflector'
import { promptOf } from 'deflector'
import { type Credentials, credentials } from 'deflector/facets/credentials'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { aliases } from '../../../../plugins/providers/index.ts'
import plugin from '../../../../plugins/providers/subscription/index.ts'
import { type HostGiven, Keep, ManualClock, testHost } from '../../../contracts/host.ts'
import { checkProvider } from '../../../contracts/provider.ts'
import { waiting } from '../../../contracts/waiting.ts'
import { opened } from '../../../support/opened.ts'
import { startUpstream, type Upstream } from '../../../support/upstream.ts'
import { failure } from '../vendor-faults.ts'

interface Issued {
  readonly status?: number
  readonly body: unknown
  /** The answer waits for it. */
  readonly after?: Promise<unknown>
}

/** Where long-lived tokens are exchanged. Without a script each exchange gives a new token for half an hour. */
async function startAuthority() {
  const asked: IncomingHttpHeaders[] = []
  const script: Issued[] = []
  const waiting: (() => void)[] = []
  const server = createServer(async (request, response) => {
    asked.push(request.headers)
    for (const arrive of waiting.splice(0)) arrive()
    const {
      status = 200,
      body,
      after,
    } = script.shift() ?? { body: { token: `tid=${asked.length}`, refresh_in: 1500, expires_at: 1800 } }
    await after
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const close = opened(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/copilot_internal/v2/token`,
    asked,
    script: (...replies: Issued[]) => script.push(...replies),
    arrived: () => new Promise<void>(resolve => waiting.push(resolve)),
    close,
  }
}

interface Bench {
  readonly upstream: Upstream
  readonly authority: Awaited<ReturnType<typeof startAuthority>>
  readonly provider: Provider
  readonly clock: ManualClock
  readonly logged: readonly { readonly message: string }[]
  ask(body?: Record<string, unknown>, more?: Partial<ProviderCall>): ReturnType<Provider['complete']>
  /** The `authorization` of each call that arrived at the vendor. */
  tokens(): (string | undefined)[]
}

const BODY = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }

async function bench(
  run: (bench: Bench) => Promise<void>,
  options: Record<string, unknown> = {},
  { name = 'copilot', kept = new Keep(), clock = new ManualClock(), ...around }: HostGiven = {},
): Promise<void> {
  const upstream = await startUpstream()
  const authority = await startAuthority()
  const host = testHost('provider', { name, clock, kept, ...around })
  const given = {
    ...aliases[name]?.options,
    url: upstream.url,
    exchange_url: authority.url,
    api_key: 'gho_long',
    ...options,
  }
  const provider = host.apply(plugin, given)
  await host.start()
  const ask: Bench['ask'] = (body = BODY, more = {}) => {
    const prompt = promptOf(chatCompletions, Buffer.from(JSON.stringify(body)), body)
    const facts = { model: undefined, stream: prompt.stream, key: 'gho_long', requestId: 'r1', headers: {} }
    return provider.complete({ prompt, ...facts, ...waiting(), ...more })
  }
  const tokens = () => upstream.calls.map(({ headers }) => headers.authorization)
  try {
    await run({ upstream, authority, provider, clock, logged: host.logged, ask, tokens })
  } finally {
    await host.dispose()
    await upstream.close()
    await authority.close()
  }
}

const withVendor =
  (status?: number, silent = false) =>
  async () => {
    const upstream = await startUpstream()
    const authority = await startAuthority()
    upstream.script({ ...(status !== undefined && { status }), silent })
    const host = testHost('provider')
    return {
      provider: host.apply(plugin, { url: upstream.url, exchange_url: authority.url, api_key: 'gho_long' }),
      call: { key: 'gho_long' },
      dispose: async () => {
        await host.dispose()
        await upstream.close()
        await authority.close()
      },
    }
  }
checkProvider('subscription', withVendor(), { broken: withVendor(500), silent: withVendor(undefined, true) })

test('the long-lived token is exchanged, and calls are made with the short-lived one', () =>
  bench(async ({ upstream, authority, ask, tokens }) => {
    await ask()
    assert.is(authority.asked[0]?.authorization, 'token gho_long')
    assert.equal(tokens(), ['Bearer tid=1'])
    assert.not.match(JSON.stringify(upstream.calls[0]?.headers), 'gho_long')
    for (const headers of [authority.asked[0], upstream.calls[0]?.headers]) {
      assert.match(String(headers?.['editor-version']), /^vscode\//)
      assert.match(String(headers?.['editor-plugin-version']), /^copilot-chat\//)
      assert.match(headers?.['user-agent'] ?? '', /^GitHubCopilotChat\//)
    }
    assert.is(upstream.calls[0]?.headers['copilot-integration-id'], 'vscode-chat')
    assert.is(upstream.calls[0]?.headers['x-request-id'], 'r1')
  }))

test('one exchange serves until shortly before its token expires', () =>
  bench(async ({ clock, ask, tokens }) => {
    await ask()
    await clock.advance(1_439_000)
    await ask()
    await clock.advance(1_000)
    await ask()
    assert.equal(tokens(), ['Bearer tid=1', 'Bearer tid=1', 'Bearer tid=2'])
  }))

test('a token that names only the moment of its end is renewed before it', () =>
  bench(async ({ authority, clock, ask, tokens }) => {
    authority.script({ body: { token: 'first', expires_at: clock.now() / 1000 + 600 } })
    await ask()
    await clock.advance(539_000)
    await ask()
    await clock.advance(1_000)
    await ask()
    assert.equal(tokens(), ['Bearer first', 'Bearer first', 'Bearer tid=2'])
  }))

test('calls at the same time wait for one exchange, and one that leaves does not end it', () =>
  bench(async ({ authority, ask, tokens }) => {
    let open = (): void => {}
    const after = new Promise<void>(resolve => {
      open = resolve
    })
    authority.script({ body: { token: 'shared', refresh_in: 1500 }, after })
    const abort = new AbortController()
    const arrived = authority.arrived()
    const leaving = ask(BODY, waiting(abort.signal))
    const staying = [ask(), ask(), ask()]
    await arrived
    abort.abort(new Error('left'))
    assert.is((await failure(leaving)).reason, 'timeout')
    open()
    await Promise.all(staying)
    assert.equal(tokens(), ['Bearer shared', 'Bearer shared', 'Bearer shared'])
    assert.is(authority.asked.length, 1)
  }))

test('another long-lived token has sessions of its own', () =>
  bench(async ({ authority, ask }) => {
    await ask()
    await ask(BODY, { key: 'gho_other' })
    assert.equal(
      authority.asked.map(({ authorization }) => authorization),
      ['token gho_long', 'token gho_other'],
    )
  }))

for (const status of [401, 421])
  test(`a ${status} leads to one fresh exchange, and no second one`, () =>
    bench(async ({ upstream, authority, ask, tokens }) => {
      upstream.script({ status }, { text: 'again' }, { status }, { status })
      await ask()
      assert.equal(tokens(), ['Bearer tid=1', 'Bearer tid=2'])
      assert.is((await failure(ask())).status, status)
      assert.equal(tokens().slice(2), ['Bearer tid=2', 'Bearer tid=3'])
      assert.is(authority.asked.length, 3)
    }))

test('calls that fail by the same old token share the fresh one', () =>
  bench(async ({ upstream, authority, ask, tokens }) => {
    await ask()
    upstream.script(({ headers }) => (headers.authorization === 'Bearer tid=1' ? { status: 401 } : { text: 'fine' }))
    await Promise.all([ask(), ask(), ask()])
    assert.is(authority.asked.length, 2)
    assert.equal(tokens().filter(token => token === 'Bearer tid=2').length, 3)
  }))

test('calls go where the token is valid, unless the operator says where', async () => {
  await bench(
    async ({ upstream, authority, ask }) => {
      const api = `http://127.0.0.1:${upstream.port}/business`
      authority.script({ body: { token: 't', refresh_in: 1500, endpoints: { api, proxy: 'https://elsewhere' } } })
      await ask()
      assert.is(upstream.calls[0]?.path, '/business/chat/completions')
    },
    { url: undefined },
  )
  await bench(async ({ upstream, authority, ask }) => {
    authority.script({ body: { token: 't', refresh_in: 1500, endpoints: { api: 'http://127.0.0.1:9' } } })
    await ask()
    assert.is(upstream.calls[0]?.path, '/v1/chat/completions')
  })
})

test('a token is not sent to a public host without encryption', () =>
  bench(
    async ({ authority, ask }) => {
      authority.script({ body: { token: 't', refresh_in: 1500, endpoints: { api: 'http://api.example.com' } } })
      const { reason, message } = await failure(ask())
      assert.is(reason, 'protocol')
      assert.match(message, 'https')
    },
    { url: undefined },
  ))

for (const [status, reason, said] of [
  [401, 'credential', 'sign in again'],
  [403, 'credential', 'no plan'],
  [404, 'credential', 'no plan'],
  [429, 'rate_limited', 'no more'],
  [500, 'unavailable', 'no more'],
] as const)
  test(`an exchange that ends in ${status} is ${reason}, without asking again`, () =>
    bench(async ({ upstream, authority, ask }) => {
      authority.script({ status, body: { message: 'no more for gho_long' } })
      const error = await failure(ask())
      assert.is(error.reason, reason)
      assert.match(error.message, said)
      assert.not.match(error.message, 'gho_long')
      assert.equal([authority.asked.length, upstream.calls.length], [1, 0])
      await ask() // the failure is not kept
      assert.is(authority.asked.length, 2)
    }))

for (const body of [{}, { token: '' }, [], 'text', null])
  test(`an exchange that gives ${JSON.stringify(body)} gave no token`, () =>
    bench(async ({ authority, ask }) => {
      authority.script({ body })
      assert.is((await failure(ask())).reason, 'protocol')
    }))

test('an exchange that never ends is given up', () =>
  bench(async ({ authority, clock, ask }) => {
    let open = (): void => {}
    authority.script({ body: {}, after: new Promise<void>(resolve => (open = resolve)) })
    const arrived = authority.arrived()
    const asked = failure(ask())
    await arrived
    await clock.advance(10_000)
    assert.is((await asked).reason, 'timeout')
    open()
  }))

test('tokens outlive a reload', async () => {
  const clock = new ManualClock()
  const upstream = await startUpstream()
  const authority = await startAuthority()
  const kept = new Keep()
  const options = { url: upstream.url, exchange_url: authority.url, api_key: 'gho_long' }
  const hosts = [1, 2].map(() => testHost('provider', { name: 'copilot', clock, kept }))
  for (const host of hosts) {
    const provider = host.apply(plugin, options)
    const prompt = promptOf(chatCompletions, Buffer.from(JSON.stringify(BODY)), BODY)
    const facts = { model: undefined, stream: false, key: 'gho_long', requestId: 'r1', headers: {} }
    await provider.complete({ prompt, ...facts, ...waiting() })
  }
  assert.is(authority.asked.length, 1)
  for (const host of hosts) await host.dispose()
})

const TOOL_TURN = [
  { role: 'user', content: 'look' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'a', content: 'x' },
]
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }
for (const [title, list, headers, initiator, vision] of [
  ['a question is begun by its user', BODY.messages, {}, 'user', undefined],
  ['a loop with tools goes on by itself', TOOL_TURN, {}, 'agent', undefined],
  ['what the client says counts', TOOL_TURN, { 'x-initiator': 'user' }, 'user', undefined],
  ['nonsense does not', BODY.messages, { 'x-initiator': 'me' }, 'user', undefined],
  ['images are announced', [{ role: 'user', content: [image] }], {}, 'user', 'true'],
] as const)
  test(title, () =>
    bench(async ({ upstream, ask }) => {
      await ask({ model: 'gpt-4o', messages: list }, { headers })
      const sent = upstream.calls[0]?.headers
      assert.equal([sent?.['x-initiator'], sent?.['copilot-vision-request']], [initiator, vision])
    }),
  )

test('a token of an app of its own is sent as it is', () =>
  bench(
    async ({ upstream, authority, ask, tokens }) => {
      await ask()
      assert.equal([tokens(), authority.asked.length], [['Bearer gho_long'], 0])
      assert.is(upstream.calls[0]?.headers['copilot-integration-id'], undefined)
      upstream.script({ status: 401 })
      assert.is((await failure(ask())).status, 401)
      assert.is(upstream.calls.length, 2)
    },
    { token_exchange: false },
  ))

test('a model that knows only the messages format is asked in it', () =>
  bench(
    async ({ upstream, provider }) => {
      const body = { ...BODY, max_tokens: 5 }
      const prompt = promptOf(messages, Buffer.from(JSON.stringify(body)), body)
      const facts = { model: undefined, stream: false, key: 'gho_long', requestId: 'r1', headers: {} }
      await provider.complete({ prompt, ...facts, ...waiting() })
      assert.is(upstream.calls[0]?.path, '/v1/messages')
      assert.is(upstream.calls[0]?.headers.authorization, 'Bearer tid=1')
    },
    {},
    { name: 'copilot-messages' },
  ))

test('the short-lived token is masked in what the vendor says of it', () =>
  bench(async ({ upstream, authority, ask }) => {
    authority.script({ body: { token: 'tid-canary;exp=1;sku=x', refresh_in: 1500 } })
    upstream.script({ status: 400, json: { error: { message: 'bad tid-canary;exp=1;sku=x' } } })
    assert.is((await failure(ask())).message, 'bad ***')
  }))

test('that it has no public API is said at start', () =>
  bench(async ({ logged }) => {
    assert.match(logged.map(({ message }) => message).join('\n'), 'terms of service')
  }))

test('a stored token of a sign-in is exchanged as a configured one is, and its successor after a renewal', async () => {
  let key = 'gho_stored'
  const source: Credentials = {
    find: names => (names.includes('github-copilot') ? { name: 'copilot', key } : undefined),
    current: async found => found,
    renewed: async () => undefined,
  }
  const run = async ({ provider, authority, ask, tokens }: Bench): Promise<void> => {
    for (const next of ['gho_stored', 'gho_renewed']) {
      key = next
      assert.is(provider.keys?.()[0]?.key, next)
      await ask(BODY, { key: next })
      await ask(BODY, { key: next })
    }
    assert.equal(
      authority.asked.map(({ authorization }) => authorization),
      ['token gho_stored', 'token gho_renewed'],
    )
    assert.equal(tokens(), ['Bearer tid=1', 'Bearer tid=1', 'Bearer tid=2', 'Bearer tid=2'])
  }
  const offers: HostGiven['offers'] = facets =>
    facets.offer(credentials, { role: 'observer', name: 'credentials' }, source)
  await bench(run, { api_key: '' }, { offers })
})

test.run()
