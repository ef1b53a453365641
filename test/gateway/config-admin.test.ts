import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** The operator reads and changes the settings of a running gateway. */

const FILE = `# our gateway
cache_ttl_secs = 300 # five minutes
gateway_api_key = "key-of-the-gateway-01"

# what clients may say
[model_aliases]
fast = "gpt-4o-mini" # cheap

[[provider_keys]]
key = "sk-first-0123456789-abcd" # the first
label = "first"
`
const OPS = { 'x-api-key': 'key-of-the-gateway-01' }

interface Bench extends TestGateway {
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it looks at
  change(patch: object): Promise<{ readonly status: number; readonly json: any }>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  settings(): Promise<any>
  saved(): string
}

const withGateway =
  (
    run: (bench: Bench) => Promise<void>,
    {
      file,
      settings = {},
    }: { readonly file?: string | undefined; readonly settings?: Readonly<Record<string, string>> } = { file: FILE },
  ) =>
  async (): Promise<void> => {
    const gateway = await startGateway({ settings, ...(file !== undefined && { file }) })
    try {
      await run({
        ...gateway,
        change: patch => gateway.post('/api/admin/config', patch, OPS),
        settings: async () => (await gateway.get('/api/admin/config', OPS)).json.settings,
        saved: () => readFileSync(join(gateway.folder, 'service.toml'), 'utf8'),
      })
    } finally {
      await gateway.close()
    }
  }

/** What is the same in every test of an answer to a change; the revision is another one each time. */
const told = ({ ok, message, restart_required, in_effect, until_restart, waiting }: Record<string, unknown>) => ({
  ok,
  message,
  restart_required,
  in_effect,
  until_restart,
  waiting,
})
const inEffect = (...in_effect: string[]) => ({
  ok: true,
  message: 'saved to service.toml, and in effect',
  restart_required: false,
  in_effect,
  until_restart: [],
  waiting: [],
})

test(
  'every setting is shown in its place, with its source and words, and without secrets',
  withGateway(async ({ get, settings, folder }) => {
    const { text, json } = await get('/api/admin/config', OPS)
    assert.is(json.config_path, join(folder, 'service.toml'))
    assert.not.match(text, 'key-of-the-gateway-01')
    assert.not.match(text, 'sk-first-0123456789-abcd')
    const shown = await settings()
    const { schema, parts, variables, section, ...ttl } = shown.cache_ttl_secs
    assert.equal([parts, variables, section], [[], ['SERVICE__CACHE_TTL_SECS'], 'Caches'])
    assert.equal(schema, { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
    assert.equal(ttl, {
      value: 300,
      default: 300,
      source: 'file',
      origin: 'service.toml:2',
      doc: 'How long an answer is fresh, in seconds; a change counts for answers stored from then on.',
      expects: 'a whole number, 1 or more',
      secret: false,
      pending: false,
      restart: false,
      writable: true,
    })
    assert.equal(shown.model_aliases.parts, [
      { path: ['fast'], source: 'file', origin: 'service.toml:7', writable: true },
    ])
    assert.equal(
      [shown.server.port.source, shown.server.port.origin, shown.server.port.writable],
      ['env', 'SERVICE__PORT', false],
    )
    assert.equal([shown.l3_timeout_secs.value, shown.l3_timeout_secs.source], [120, 'default'])
    assert.is(shown.external_llm_model.value, null)
    assert.equal(shown.provider_keys.value, [{ key: 'sk-…bcd', label: 'first' }])
    assert.equal(shown.model_aliases.value, { fast: 'gpt-4o-mini' })
  }),
)

test(
  'a change is in the file, with all its comments, and counts at once',
  withGateway(async ({ change, settings, saved, gateway, folder }) => {
    const { number } = gateway.current.around
    const reply = await change({
      cache_ttl_secs: 600,
      model_aliases: { 'gpt-4.1': 'gpt-4.1-mini' },
      'classifier_routing.enabled': false,
    })
    assert.equal([reply.status, told(reply.json)], [200, inEffect('cache_ttl_secs', 'model_aliases')])
    assert.is(gateway.current.around.number, number + 1)
    // A reload is no second writer of the same books.
    assert.equal(
      readdirSync(folder).filter(name => name.startsWith('usage-')),
      [],
    )
    const expected = FILE.replace('cache_ttl_secs = 300', 'cache_ttl_secs = 600').replace(
      '# cheap\n',
      '# cheap\n"gpt-4.1" = "gpt-4.1-mini"\n',
    )
    assert.is(saved(), expected)
    const shown = await settings()
    assert.equal([shown.cache_ttl_secs.value, shown.cache_ttl_secs.origin], [600, 'service.toml:2'])
  }),
)

test(
  'what is sent back as it was shown changes nothing, and names of a map are taken out by null',
  withGateway(async ({ change, settings, saved }) => {
    const shown = await settings()
    const back = {
      gateway_api_key: shown.gateway_api_key.value,
      provider_keys: shown.provider_keys.value,
      cache_ttl_secs: 300,
      server: { port: shown.server.port.value },
    }
    assert.equal(told((await change(back)).json), { ...inEffect(), message: 'service.toml says so already' })
    assert.is(saved(), FILE)
    assert.is((await change({ provider_keys: [{ ...shown.provider_keys.value[0], priority: 3 }] })).status, 200)
    assert.match(saved(), 'key = "sk-first-0123456789-abcd" # the first\nlabel = "first"\npriority = 3\n')
    assert.is((await change({ model_aliases: { fast: null } })).status, 200)
    assert.not.match(saved(), 'cheap')
    assert.equal((await settings()).model_aliases, {
      ...shown.model_aliases,
      value: {},
      source: 'default',
      origin: 'default',
      parts: [],
    })
  }),
)

test(
  'a masked value that stands for none that is set is refused by its field',
  withGateway(async ({ change, saved }) => {
    const { status, json } = await change({ provider_keys: [{ key: 'sk-x…yyyy', label: 'first' }] })
    assert.equal([status, json.error], [400, 'bad_request'])
    assert.match(json.message, /^provider_keys\[0\]\.key is a masked value that is not set/)
    assert.is(saved(), FILE)
  }),
)

test(
  'a key that a variable overrides is a conflict that names the variable',
  withGateway(
    async ({ change, saved }) => {
      const cases = [
        [{ server: { port: 9000 } }, 'server.port is set by SERVICE__PORT,'],
        [{ offline_mode: null }, 'offline_mode is set by SERVICE__OFFLINE_MODE,'],
        [{ 'model_aliases.slow': 'other' }, 'model_aliases.slow is set by SERVICE__MODEL_ALIASES__SLOW,'],
        [{ quota: { openai: { daily_token_limit: 5 } } }, 'quota.openai.daily_token_limit is set by SERVICE__QUOTA,'],
        [{ cache_ttl_secs: 5, offline_mode: false }, 'offline_mode is set by SERVICE__OFFLINE_MODE,'],
      ] as const
      for (const [patch, message] of cases) {
        const { status, json } = await change(patch)
        assert.equal([status, json.error], [409, 'conflict'], JSON.stringify(json))
        assert.ok(json.message.startsWith(message), json.message)
      }
      assert.is(saved(), FILE)
      assert.is((await change({ 'model_aliases.third': 'm' })).status, 200)
    },
    {
      file: FILE,
      settings: {
        SERVICE__OFFLINE_MODE: 'true',
        SERVICE__MODEL_ALIASES__SLOW: 'gpt-4o',
        SERVICE__QUOTA: '{"openai":{"weekly_token_limit":9}}',
      },
    },
  ),
)

test(
  'what the start would refuse is refused by its field, and file and gateway stay as they were',
  withGateway(async ({ change, saved, gateway, folder }) => {
    const { number } = gateway.current.around
    const cases = [
      [{ cache_ttl_secs: 0 }, /^cache_ttl_secs must be a whole number, 1 or more, not 0$/],
      [{ cache_ttl_secs: 60, cache_mod: 'exact' }, /there is no setting "cache_mod".*cache_mode/],
      [{ exact_cache: { provider: 'redis' } }, /exact_cache\.provider is "redis", which needs exact_cache\.redis_url/],
      [{ exact_cache: 'redis' }, /exact_cache is a table of settings/],
      [{ quota: { openai: { daily: 5 } } }, /quota\.openai has no field "daily"/],
      [{ fallback_providers: [{ provider: 'groq', url: 7 }] }, /fallback_providers\[0\]\.url is wrong/],
      [{ llm_provider: 'nobody' }, /the gateway cannot follow this: .*nobody/],
    ] as const
    for (const [patch, message] of cases) {
      const { status, json } = await change(patch)
      assert.equal([status, json.error], [400, 'bad_request'], JSON.stringify(patch))
      assert.match(json.message, message)
    }
    assert.is(saved(), FILE)
    assert.is(gateway.current.around.number, number)
    assert.equal(
      readdirSync(folder).filter(name => name.includes('.tmp')),
      [],
    )
  }),
)

test(
  'a change that leaves keys of which none may administer is refused, and nothing is written',
  withGateway(
    async ({ change, saved, post }) => {
      const before = saved()
      const locked = await change({ gateway_api_key: null })
      assert.is(locked.status, 400)
      assert.match(locked.json.message, /none may administer the gateway; give one of gateway_api_keys admin = true$/)
      const checked = await post('/api/admin/config/check', { gateway_api_key: null }, OPS)
      assert.is(checked.json.ok, false)
      assert.match(checked.json.problems[0].message, 'give one of gateway_api_keys admin = true')
      assert.is(saved(), before)
      const team = { key: 'key-of-the-team-0001', label: 'team' }
      const heir = { gateway_api_key: null, gateway_api_keys: [{ ...team, admin: true }] }
      assert.is((await change(heir)).status, 200)
      const admin = { 'x-api-key': team.key }
      const demoted = await post('/api/admin/config', { gateway_api_keys: [team] }, admin)
      assert.is(demoted.status, 400)
      // Without any key this machine administers.
      assert.is((await post('/api/admin/config', { gateway_api_keys: null }, admin)).status, 200)
    },
    { file: `${FILE}\n[[gateway_api_keys]]\nkey = "key-of-the-team-0001"\nlabel = "team"\n` },
  ),
)

test(
  'a vendor that nobody knows is refused by its field, its value and the nearest name, and by no line of any file',
  withGateway(async ({ change, post, saved }) => {
    const unknown = 'no built-in provider and no installed package is called "opnai"; did you mean "openai"?'
    const entry = { provider: 'opnai', api_key: 'k' }
    const said = async (path: string, body: object) => (await post(path, body, OPS)).json
    for (const [patch, field] of [
      [{ fallback_providers: [entry] }, 'fallback_providers[0].provider'],
      [{ llm_provider: 'opnai' }, 'llm_provider'],
    ] as const) {
      const message = `${field}: ${unknown}`
      assert.is((await change(patch)).json.message, `the gateway cannot follow this: ${message}`)
      assert.equal((await said('/api/admin/config/check', patch)).problems, [
        { setting: Object.keys(patch)[0], message },
      ])
    }
    const { message } = await said('/api/admin/providers/add', entry)
    assert.is(message, `the gateway cannot follow this: fallback_providers[0].provider: ${unknown}`)
    assert.is(saved(), FILE)
  }),
)

test(
  'a setting that a reload cannot follow waits for the next start, and later changes are told apart from it',
  withGateway(async ({ change, get, settings }) => {
    const waits = {
      ...inEffect(),
      message: 'saved to service.toml; log_level will count from the next start on',
      restart_required: true,
      until_restart: ['log_level'],
    }
    assert.equal(told((await change({ log_level: 'warn' })).json), waits)
    assert.equal((await get('/api/admin/config', OPS)).json.waiting, [{ key: 'log_level', running: 'info' }])
    assert.is((await settings()).log_level.restart, true)
    assert.equal(told((await change({ cache_ttl_secs: 60 })).json), {
      ...inEffect('cache_ttl_secs'),
      message: 'saved to service.toml, and in effect; log_level, changed earlier, still waits for the next start',
      waiting: ['log_level'],
    })
    assert.equal(told((await change({ cache_ttl_secs: 61, log_format: 'json' })).json), {
      ok: true,
      message:
        'saved to service.toml; cache_ttl_secs in effect, log_format will count from the next start on; log_level, changed earlier, still waits for the next start',
      restart_required: true,
      in_effect: ['cache_ttl_secs'],
      until_restart: ['log_format'],
      waiting: ['log_level'],
    })
    await change({ log_format: null })
    assert.equal(told((await change({ log_level: 'info' })).json), inEffect('log_level'))
    assert.equal((await get('/api/admin/config', OPS)).json.waiting, [])
  }),
)

test(
  'a check gives the diff without secrets and says when each setting counts, and changes nothing',
  withGateway(async ({ post, saved: file, gateway, folder }) => {
    const { number } = gateway.current.around
    const patch = {
      cache_ttl_secs: 600,
      gateway_api_key: 'another-key-of-the-gateway',
      log_level: 'warn',
      provider_keys: [{ key: 'sk-…bcd', label: 'first', priority: 2 }],
    }
    const { json, text } = await post('/api/admin/config/check', patch, OPS)
    assert.equal(
      [json.ok, json.problems, json.in_effect.toSorted(), json.until_restart],
      [true, [], ['cache_ttl_secs', 'gateway_api_key', 'provider_keys'], ['log_level']],
    )
    assert.is(
      json.diff,
      `@@ -1,6 +1,7 @@
 # our gateway
-cache_ttl_secs = 300 # five minutes
-gateway_api_key = "ke…01"
+cache_ttl_secs = 600 # five minutes
+gateway_api_key = "ano…way"
+log_level = "warn"
 
 # what clients may say
 [model_aliases]
@@ -9,3 +10,4 @@
 [[provider_keys]]
 key = "sk-…bcd" # the first
 label = "first"
+priority = 2
`,
    )
    assert.not.match(text, /key-of-the-gateway|0123456789/)
    assert.is(file(), FILE)
    assert.is(gateway.current.around.number, number)
    assert.equal(
      readdirSync(folder).filter(name => name.includes('.tmp')),
      [],
    )
  }),
)

test(
  'a check names the setting of each problem, as the start would find it',
  withGateway(async ({ post, saved: file }) => {
    const cases = [
      [{ cache_ttl_secs: 0 }, [['cache_ttl_secs', /^cache_ttl_secs must be a whole number, 1 or more, not 0$/]]],
      [
        { cache_ttl_secs: 'x', cache_mode: 'y' },
        [
          ['cache_ttl_secs', /whole number/],
          ['cache_mode', /exact, semantic/],
        ],
      ],
      [{ cache_mod: 'exact' }, [[null, /there is no setting "cache_mod"/]]],
      [{ 'exact_cache.provider': 'redis' }, [['exact_cache.provider', /needs exact_cache.redis_url/]]],
      [{ model_routes: { 'gpt-*': 'nobody' } }, [['model_routes', /nobody/]]],
      [{ llm_provider: 'nobody', cache_ttl_secs: 5 }, [['llm_provider', /nobody/]]],
      [{ 'server.port': 9000 }, [['server.port', /SERVICE__PORT/]]],
      [{ quota: { openai: { daily: 5 } } }, [['quota', /no field "daily"/]]],
    ] as const
    for (const [patch, expected] of cases) {
      const { status, json } = await post('/api/admin/config/check', patch, OPS)
      assert.equal([status, json.ok, json.diff], [200, false, ''], JSON.stringify(json))
      const settings = json.problems.map(({ setting }: { readonly setting: string | null }) => setting)
      assert.equal(
        settings,
        expected.map(([setting]) => setting),
        JSON.stringify(json),
      )
      for (const [at, [, message]] of expected.entries()) assert.match(json.problems[at].message, message)
    }
    const quick = await post('/api/admin/config/check?quick=true', { llm_provider: 'nobody' }, OPS)
    assert.ok(quick.json.ok, 'the pipeline is not asked')
    assert.is(file(), FILE)
  }),
)

test(
  'a change of a file that somebody else has changed since it was read is a conflict, and both changes can be kept',
  withGateway(async ({ post, get, saved: file, folder, settings }) => {
    const read = (await get('/api/admin/config', OPS)).json
    assert.equal([read.unread, read.problems], [[], []])
    const path = `/api/admin/config?revision=${read.revision}`
    writeFileSync(join(folder, 'service.toml'), FILE.replace('300 #', '301 #'))
    for (const where of [path, path.replace('config?', 'config/check?')]) {
      const { status, json } = await post(where, { cache_stale_secs: 5 }, OPS)
      assert.equal([status, json.error], [409, 'conflict'])
      assert.match(json.message, 'service.toml was changed by somebody else just now')
    }
    const again = (await get('/api/admin/config', OPS)).json
    assert.equal(again.unread, ['cache_ttl_secs'])
    const { json } = await post(`/api/admin/config?revision=${again.revision}`, { cache_stale_secs: 5 }, OPS)
    assert.equal(told(json), inEffect('cache_ttl_secs', 'cache_stale_secs'))
    assert.match(file(), '301 # five minutes')
    assert.is((await settings()).cache_ttl_secs.value, 301)
    assert.is(json.revision, (await get('/api/admin/config', OPS)).json.revision)
  }),
)

test(
  'a file that was edited by hand is read again on request; one with mistakes is not, and they are told',
  withGateway(async ({ post, get, folder }) => {
    const say = (text: string): void => writeFileSync(join(folder, 'service.toml'), FILE.replace('300 #', text))
    say('7 #')
    const reply = await post('/api/admin/config/reload', {}, OPS)
    assert.equal(told(reply.json), { ...inEffect('cache_ttl_secs'), message: 'service.toml was read again' })
    say('"x" #')
    const { json } = await get('/api/admin/config', OPS)
    assert.match(json.problems[0], /^service.toml:2: cache_ttl_secs must be a whole number/)
    assert.is((await post('/api/admin/config/reload', {}, OPS)).status, 409)
    assert.is(json.settings.cache_ttl_secs.value, 7)
  }),
)

test(
  'the file keeps its mode, and a new one is for its owner only',
  withGateway(
    async ({ post, folder, saved }) => {
      const file = join(folder, 'service.toml')
      assert.is(existsSync(file), false)
      const { diff } = (await post('/api/admin/config/check', { cache_ttl_secs: 7 })).json
      assert.is(diff, '@@ -0,0 +1,1 @@\n+cache_ttl_secs = 7\n')
      assert.is(existsSync(file), false)
      assert.is((await post('/api/admin/config', { cache_ttl_secs: 7 })).status, 200)
      assert.is(saved(), 'cache_ttl_secs = 7\n')
      assert.is(statSync(file).mode & 0o777, 0o600)
      chmodSync(file, 0o640)
      assert.is((await post('/api/admin/config', { cache_ttl_secs: 8 })).status, 200)
      assert.is(statSync(file).mode & 0o777, 0o640)
    },
    { file: undefined },
  ),
)

test(
  'changes that come together are all kept',
  withGateway(async ({ change, saved }) => {
    const patches = [...Array(6).keys()].map(at => ({ model_aliases: { [`alias-${at}`]: 'm' } }))
    const statuses = (await Promise.all(patches.map(change))).map(({ status }) => status)
    assert.equal(statuses, Array(6).fill(200))
    for (const at of Array(6).keys()) assert.match(saved(), `alias-${at} = "m"`)
  }),
)

test(
  'a file with mistakes of somebody else is not touched',
  withGateway(async ({ change, saved, folder }) => {
    writeFileSync(join(folder, 'service.toml'), 'cache_ttl_secs = "x"\n')
    const { status, json } = await change({ cache_ttl_secs: 9 })
    assert.equal([status, json.error], [409, 'conflict'])
    assert.match(json.message, 'service.toml:1: cache_ttl_secs must be a whole number')
    assert.is(saved(), 'cache_ttl_secs = "x"\n')
  }),
)

const PROVIDERS = `llm_provider = "openai"

[[fallback_providers]]
# the quick one
provider = "groq"
api_key = "gsk-first-0123456789-abcd" # ours

[[fallback_providers]]
provider = "groq"
api_key = "gsk-other-0123456789-efgh"
model = "big"
`

test(
  'providers are added, edited, moved and removed in the file, and the chain follows',
  withGateway(
    async ({ post, get, saved }) => {
      const change = async (what: string, body: object, status = 200): Promise<string> => {
        const reply = await post(`/api/admin/providers/${what}`, body)
        assert.is(reply.status, status, reply.text)
        return reply.json.message
      }
      const chain = async () => (await get('/debug/providers')).json.providers
      const names = async () => (await chain()).map(({ name }: { readonly name: string }) => name)

      await change('add', { provider: 'mistral', api_key: 'mk', position: 2 })
      assert.equal(await names(), ['openai', 'groq', 'mistral', 'groq-2'])
      assert.match(saved(), '# the quick one\nprovider = "groq"')

      const masked = (await chain())[3].keys[0].masked_key
      assert.is(masked, 'gsk…fgh')
      await change('edit', { name: 'groq-2', model: 'bigger', api_key: masked })
      assert.match(saved(), 'api_key = "gsk-other-0123456789-efgh"\nmodel = "bigger"')
      assert.match(await change('edit', { name: 'groq-2', api_key: 'gsk…bcd' }, 400), 'masked')
      await change('edit', { name: 'openai', model: 'gpt-4.1' })
      assert.match(saved(), 'external_llm_model = "gpt-4.1"')

      // An entry keeps what it is called, because quotas and routes go by it.
      await change('move', { name: 'groq-2', position: 1 })
      assert.equal(await names(), ['openai', 'groq-2', 'groq', 'mistral'])
      assert.match(saved(), 'name = "groq-2"')
      await change('remove', { name: 'groq' })
      assert.equal(await names(), ['openai', 'groq-2', 'mistral'])
      assert.not.match(saved(), 'the quick one')
      await change('remove', { name: 'groq-2' })
      await change('remove', { name: 'mistral' })
      assert.equal(await names(), ['openai'])
      assert.not.match(saved(), 'fallback_providers')

      assert.match(await change('remove', { name: 'openai' }, 400), 'set llm_provider')
      assert.match(await change('remove', { name: 'nobody' }, 400), 'there is no provider "nobody"; there are openai')
      assert.match(await change('move', { name: 'openai', position: 1 }, 400), 'primary')
      assert.match(
        await change('add', { provider: 'groq', position: 5 }, 400),
        'position: must be a whole number from 1 to 1',
      )
      assert.match(await change('add', { provider: 'groq', modle: 'x' }, 400), /no field "modle".*model/)
      assert.match(await change('edit', { name: 'openai', weight: 1 }, 400), 'weight is no field of the primary')
    },
    { file: PROVIDERS },
  ),
)

test('a chain that a variable gives is not changed in the file', async () => {
  const upstream = await startUpstream()
  const settings = {
    SERVICE__FALLBACK_PROVIDERS: JSON.stringify([{ provider: 'groq', url: upstream.url, api_key: 'k' }]),
  }
  await withGateway(
    async ({ post, saved }) => {
      const { status, json } = await post('/api/admin/providers/add', { provider: 'mistral', api_key: 'k' })
      assert.is(status, 409)
      assert.match(json.message, 'fallback_providers is set by SERVICE__FALLBACK_PROVIDERS')
      assert.is(saved(), '# nothing\n')
    },
    { file: '# nothing\n', settings },
  )()
})

test.run()
