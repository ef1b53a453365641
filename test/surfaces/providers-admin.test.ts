import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../core/clock.ts'
import type { Clock } from '../../core/host.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

const KEYS = [
  { key: 'sk-first-0123456789-abcd', label: 'first', priority: 1 },
  { key: 'sk-second-0123456789-efgh', label: 'second', priority: 2 },
]
/** No waits between attempts. */
const swift: Clock = { ...systemClock, random: () => 0 }

interface Bench {
  readonly gateway: TestGateway
  readonly primary: Upstream
  readonly backup: Upstream
  ask(prompt: string): Promise<{ readonly status: number }>
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it looks at
  provider(name: string): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  look(body: object): Promise<any>
}

const withGateway =
  (run: (bench: Bench) => Promise<void>, settings: Readonly<Record<string, string>> = {}) =>
  async (): Promise<void> => {
    const [primary, backup] = await Promise.all([startUpstream(), startUpstream()])
    const gateway = await startGateway({
      upstream: primary,
      clock: swift,
      settings: {
        SERVICE__EXTERNAL_LLM_API_KEY: '',
        SERVICE__PROVIDER_KEYS: JSON.stringify(KEYS),
        SERVICE__KEY_ROTATION_STRATEGY: 'priority',
        SERVICE__FALLBACK_PROVIDERS: JSON.stringify([
          { provider: 'anthropic', url: backup.url, api_key: 'sk-ant-0123456789-wxyz', model: 'claude-backup' },
        ]),
        ...settings,
      },
    })
    try {
      await run({
        gateway,
        primary,
        backup,
        ask: prompt => gateway.post('/api/chat', { prompt }),
        async provider(name) {
          const { json, text } = await gateway.get('/debug/providers')
          for (const { key } of KEYS) assert.not.match(text, key)
          assert.not.match(text, '0123456789')
          return json.providers.find((one: { name: string }) => one.name === name)
        },
        look: async body => (await gateway.post('/api/admin/providers/test', body)).json,
      })
    } finally {
      await gateway.close()
    }
  }

test(
  'tells each provider of the chain, and counts what it answered',
  withGateway(async ({ gateway, primary, ask, provider }) => {
    assert.is((await provider('openai')).status, 'unknown')
    assert.is((await ask('one')).status, 200)
    assert.is((await ask('two')).status, 200)
    const { json } = await gateway.get('/api/admin/providers')
    assert.is(json.active_provider, 'openai')
    assert.equal(
      json.providers.map(({ name, active }: { name: string; active: boolean }) => [name, active]),
      [
        ['openai', true],
        ['anthropic', false],
      ],
    )
    const openai = await provider('openai')
    assert.is(openai.status, 'healthy')
    assert.is(openai.model, 'stub-model')
    assert.is(openai.endpoint, primary.url)
    assert.is(openai.api_key_configured, true)
    assert.is(openai.requests_total, 2)
    assert.is(openai.errors_total, 0)
    assert.type(openai.latency_ms, 'number')
    assert.is(openai.circuit, 'closed')
    assert.is(openai.key_rotation_strategy, 'priority')
    assert.is(openai.key_cooldown_secs, 60)
    assert.ok(Date.parse(openai.last_success) > 0)
    assert.is(openai.last_error, null)
    const [first, second] = openai.keys
    assert.equal([first.masked_key, first.label, first.priority], ['sk-…bcd', 'first', 1])
    assert.equal([first.requests_total, second.requests_total], [2, 0])
    assert.equal((await provider('anthropic')).requests_total, 0)
  }),
)

test(
  'shows a key that cools down, also after a reload',
  withGateway(async ({ gateway, primary, ask, provider }) => {
    primary.script({ status: 429, headers: { 'retry-after': '40' } })
    assert.is((await ask('one')).status, 200)
    const look = async () => {
      const { keys, requests_total, errors_total, status } = await provider('openai')
      const [first, second] = keys
      assert.equal([first.status, second.status], ['cooling_down', 'available'])
      assert.equal([first.rate_limit_total, second.rate_limit_total], [1, 0])
      assert.ok(Date.parse(first.cooldown_until) >= Date.parse(first.last_used) + 39_000, first.cooldown_until)
      assert.equal([requests_total, errors_total, status], [2, 1, 'healthy'])
    }
    await look()
    assert.ok((await gateway.gateway.reload()).ok)
    await look()
  }),
)

test(
  'what a vendor says of a failure is told without the key that it repeats',
  withGateway(async ({ primary, ask, provider }) => {
    const keys = KEYS.map(({ key }) => key).join(' and ')
    primary.script(() => ({ status: 500, json: { error: { message: `broken for ${keys}` } } }))
    assert.is((await ask('one')).status, 200)
    const openai = await provider('openai')
    assert.equal([openai.status, openai.errors_total], ['failing', 3])
    assert.match(openai.last_error_message, 'broken for *** and ***')
    assert.is((await provider('anthropic')).status, 'healthy')
  }),
)

test(
  'a refusal of what the client sent is no error of the provider',
  withGateway(async ({ primary, ask, provider }) => {
    primary.script({ status: 422 })
    assert.is((await ask('one')).status, 422)
    const { requests_total, errors_total, status } = await provider('openai')
    assert.equal([requests_total, errors_total, status], [1, 0, 'unknown'])
  }),
)

test(
  'a look reads the list of models with every key in turn, and says at once how the provider is',
  withGateway(async ({ primary, provider, look }) => {
    const seen = await look({ provider: 'openai' })
    assert.equal([seen.reachable, seen.authorized, seen.status_code, seen.error], [true, true, 200, null])
    assert.type(seen.latency_ms, 'number')
    assert.equal(
      primary.calls.map(({ method, path, headers }) => [method, path, headers.authorization]),
      KEYS.map(({ key }) => ['GET', '/v1/models', `Bearer ${key}`]),
    )
    const openai = await provider('openai')
    assert.equal([openai.status, openai.requests_total], ['healthy', 0])
    assert.equal(
      openai.keys.map((key: { requests_total: number }) => key.requests_total),
      [0, 0],
    )
  }),
)

test(
  'a key that is refused is reachable and not healthy, and cools nothing',
  withGateway(async ({ primary, provider, look }) => {
    primary.script(() => ({ status: 401 }))
    const seen = await look({ provider: 'openai' })
    assert.equal([seen.reachable, seen.authorized, seen.status_code], [true, false, 401])
    const openai = await provider('openai')
    assert.equal([openai.status, openai.errors_total], ['failing', 0])
    assert.equal(
      openai.keys.map((key: { status: string }) => key.status),
      ['available', 'available'],
    )
  }),
)

test(
  'the second key of a pool that is refused is named, and the provider that the first one reaches stays healthy',
  withGateway(async ({ gateway, primary, provider, look }) => {
    const second = KEYS[1]?.key
    primary.script(({ headers }) => ({ status: headers.authorization === `Bearer ${second}` ? 401 : 200, json: {} }))
    const seen = await look({ name: 'openai' })
    assert.equal([seen.reachable, seen.authorized, seen.status_code], [true, false, 401])
    assert.match(seen.error, '1 of 2 keys failed: key 2 ("second", sk-…fgh): ')
    assert.equal(
      seen.keys.map((key: { label: string; authorized: boolean }) => [key.label, key.authorized]),
      [
        ['first', true],
        ['second', false],
      ],
    )
    assert.not.match(JSON.stringify(seen), '0123456789')
    assert.is((await provider('openai')).status, 'healthy')
    const { status } = await gateway.post('/api/admin/providers/test', { name: 'openai', provider: 'groq' })
    assert.is(status, 400)
  }),
)

test(
  'a provider without a key says so, and is not the active one',
  withGateway(
    async ({ gateway, primary, provider, look }) => {
      await look({ provider: 'groq' })
      const groq = await provider('groq')
      assert.equal([groq.status, groq.api_key_configured, groq.active], ['no_credential', false, false])
      // Named outright it is no other provider that answers.
      const asked = { model: 'groq/llama', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }
      for (const path of ['/v1/chat/completions', '/v1/messages']) {
        const { status, json } = await gateway.post(path, asked)
        assert.is(status, 502)
        assert.match(json.error.message, 'groq, which "model" names, has no key')
      }
      assert.is(primary.calls.length, 0)
    },
    {
      SERVICE__FALLBACK_PROVIDERS: JSON.stringify([{ provider: 'groq', url: 'http://127.0.0.1:9/v1', model: 'llama' }]),
    },
  ),
)

test(
  'an endpoint that is away is not reachable',
  withGateway(async ({ primary, look }) => {
    await primary.close()
    const seen = await look({ provider: 'openai' })
    assert.equal([seen.reachable, seen.authorized, seen.status_code], [false, null, null])
    assert.match(seen.error, 'connection failed')
  }),
)

test(
  'no request leaves for a private address that is not configured, nor with a configured key',
  withGateway(async ({ gateway, primary, backup, look }) => {
    const stranger = await startUpstream()
    for (const url of [
      stranger.url,
      'http://localhost:1/v1',
      'http://10.0.0.1/v1',
      'http://0.0.0.0:1/v1',
      'http://[::1]:1/v1',
      'http://169.254.169.254/latest',
      'http://2130706433/v1',
      'http://[::ffff:127.0.0.1]:1/v1',
      'http://intranet/v1',
    ]) {
      const { status, json } = await gateway.post('/api/admin/providers/test', { url, api_key: 'k' })
      assert.is(status, 400, url)
      assert.match(json.message, 'private network')
    }
    assert.is(stranger.calls.length, 0)
    // A configured place may be asked, in its own format, with the key that is given and no other.
    assert.is((await look({ url: backup.url })).reachable, true)
    assert.is(backup.calls[0]?.headers['x-api-key'], undefined)
    assert.is((await look({ url: backup.url, api_key: 'given' })).authorized, true)
    assert.is(backup.calls[1]?.headers['x-api-key'], 'given')
    assert.is(primary.calls.length, 0)
  }),
)

test(
  'what is asked wrongly is refused by its field',
  withGateway(async ({ gateway }) => {
    for (const [body, field] of [
      [{}, 'provider'],
      [{ provider: 'nobody' }, 'openai, anthropic'],
      [{ url: 'no url' }, 'url'],
      [{ url: 'ftp://example.com' }, 'http://'],
      [{ url: 'https://u:p@example.com' }, 'api_key'],
      [{ provider: 7 }, 'string'],
    ] as const) {
      const { status, json } = await gateway.post('/api/admin/providers/test', body)
      assert.is(status, 400)
      assert.match(json.message, field)
    }
  }),
)

test(
  'offline nothing is sent, and that is said',
  withGateway(
    async ({ primary, look }) => {
      const seen = await look({ provider: 'openai' })
      assert.equal([seen.reachable, seen.error], [false, 'offline_mode is on: nothing was sent'])
      assert.is(primary.calls.length, 0)
    },
    { SERVICE__OFFLINE_MODE: 'true' },
  ),
)

test.run()
