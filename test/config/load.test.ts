import { mkdirSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { loadSettings } from '../../config/load.ts'
import { inPlace } from './place.ts'

test(
  'a variable beats the file, and a flag beats the variable',
  inPlace(place => {
    const file = '[server]\nport = 1\nhost = "a"\n'
    const port = (loaded: ReturnType<typeof place.load>) => loaded.values['server.port']
    assert.is(port(place.load(file)), 1)
    assert.is(port(place.load(file, { SERVICE__PORT: '2' })), 2)
    const flagged = place.load(file, { SERVICE__PORT: '2' }, [{ name: '--port', key: 'server.port', text: '3' }])
    assert.is(port(flagged), 3)
    assert.equal(flagged.sources.get('server.port'), { kind: 'flag', name: '--port' })
    assert.is(flagged.values['server.host'], 'a')
  }),
)

test(
  "the first file found counts whole: the working directory's, else the data directory's",
  inPlace(place => {
    const data = place.write('data/service.toml', 'cache_ttl_secs = 5\nl3_timeout_secs = 6\n')
    const alone = place.load(undefined)
    assert.is(alone.values.cache_ttl_secs, 5)
    assert.equal(alone.sources.get('cache_ttl_secs'), { kind: 'file', file: data, line: 1 })
    const both = place.load('cache_ttl_secs = 7\n')
    assert.is(both.values.cache_ttl_secs, 7)
    assert.is(both.values.l3_timeout_secs, 120)
  }),
)

test(
  'the documented variable beats the derived one',
  inPlace(place => {
    const loaded = place.load(undefined, { SERVICE__SERVER__PORT: '1', SERVICE__PORT: '2' })
    assert.is(loaded.values['server.port'], 2)
  }),
)

test(
  'an empty variable is not there',
  inPlace(place => {
    const loaded = place.load('[server]\nport = 5\n', {
      SERVICE__PORT: '',
      SERVICE__SERVER__PORT: ' ',
      SERVICE__NONSENSE: '',
    })
    assert.is(loaded.values['server.port'], 5)
  }),
)

test(
  'HOST_PORT moves the listener, and HOST and PORT beat it',
  inPlace(place => {
    const at = (env: Record<string, string>) => {
      const { values } = place.load(undefined, env)
      return [values['server.host'], values['server.port']]
    }
    assert.equal(at({ SERVICE__HOST_PORT: '127.0.0.1:9000' }), ['127.0.0.1', 9000])
    assert.equal(at({ SERVICE__HOST_PORT: '[::1]:9000' }), ['::1', 9000])
    assert.equal(at({ SERVICE__HOST_PORT: ':9000' }), ['0.0.0.0', 9000])
    assert.equal(at({ SERVICE__HOST_PORT: '127.0.0.1:9000', SERVICE__PORT: '9001' }), ['127.0.0.1', 9001])
    assert.equal(place.problems(undefined, { SERVICE__HOST_PORT: 'localhost' }), [
      'SERVICE__HOST_PORT: must be host:port, such as 127.0.0.1:8080, not "localhost"',
    ])
    assert.equal(place.problems(undefined, { SERVICE__HOST_PORT: 'x:99999' }), [
      'SERVICE__HOST_PORT: server.port must be a whole number from 0 to 65535, not 99999',
    ])
  }),
)

test(
  'a key is read from the file that a _FILE variable names, trimmed, unless it is given itself',
  inPlace(place => {
    const path = place.write('secret', '  sk-from-file\n')
    const file = { SERVICE__EXTERNAL_LLM_API_KEY_FILE: path, SERVICE__GATEWAY_API_KEY_FILE: path }
    const { values } = place.load(undefined, file)
    assert.is(values.external_llm_api_key, 'sk-from-file')
    assert.is(values.gateway_api_key, 'sk-from-file')
    assert.is(
      place.load(undefined, { ...file, SERVICE__EXTERNAL_LLM_API_KEY: 'direct' }).values.external_llm_api_key,
      'direct',
    )
    assert.is(
      place.load(undefined, { ...file, SERVICE__EXTERNAL_LLM_API_KEY: '' }).values.external_llm_api_key,
      'sk-from-file',
    )
  }),
)

test(
  'lists of keys and addresses with a password are read from files, too',
  inPlace(place => {
    const keys = place.write('keys.json', '[{"key": "sk-a", "label": "team-a"}]\n')
    const fallbacks = place.write('fallbacks.json', '[\n  {"provider": "groq", "api_key": "gsk-b"}\n]\n')
    const redis = place.write('redis', 'redis://:hidden@localhost:6379\n')
    const { values } = place.load(undefined, {
      SERVICE__PROVIDER_KEYS_FILE: keys,
      SERVICE__GATEWAY_API_KEYS_FILE: keys,
      SERVICE__FALLBACK_PROVIDERS_FILE: fallbacks,
      SERVICE__REDIS_URL_FILE: redis,
    })
    assert.equal(values.provider_keys, [{ key: 'sk-a', label: 'team-a' }])
    assert.equal(values.gateway_api_keys, [{ key: 'sk-a', label: 'team-a' }])
    assert.equal(values.fallback_providers, [{ provider: 'groq', api_key: 'gsk-b' }])
    assert.is(values['exact_cache.redis_url'], 'redis://:hidden@localhost:6379')
    const broken = place.write('broken', '[{"key": "sk-secret}]')
    assert.equal(place.problems(undefined, { SERVICE__PROVIDER_KEYS_FILE: broken }), [
      'SERVICE__PROVIDER_KEYS_FILE: provider_keys must be JSON, and this is not; check its quotes and brackets',
    ])
  }),
)

test(
  "a key file that is missing or empty is refused by its variable's name",
  inPlace(place => {
    const empty = place.write('empty', '\n')
    const gone = `${empty}-gone`
    assert.equal(
      place.problems(undefined, { SERVICE__GATEWAY_API_KEY_FILE: gone, SERVICE__EXTERNAL_LLM_API_KEY_FILE: empty }),
      [
        `SERVICE__GATEWAY_API_KEY_FILE: the file ${gone} cannot be read (ENOENT); check the path and its permissions`,
        `SERVICE__EXTERNAL_LLM_API_KEY_FILE: the file ${empty} is empty; write the key into it`,
      ],
    )
  }),
)

test(
  "only SERVICE__ is read: no single underscore, no vendor's variable",
  inPlace(place => {
    const loaded = place.load(undefined, { SERVICE_PORT: '1', OPENAI_API_KEY: 'sk-vendor', PORT: '2' })
    assert.is(loaded.values['server.port'], 8080)
    assert.is(loaded.values.external_llm_api_key, undefined)
  }),
)

test(
  'SERVICE_HF_CACHE_DIR beats HF_HOME',
  inPlace(place => {
    assert.is(place.load(undefined, { HF_HOME: '/hf' }).modelCacheDir, '/hf')
    assert.is(place.load(undefined, { HF_HOME: '/hf', SERVICE_HF_CACHE_DIR: '/mine' }).modelCacheDir, '/mine')
  }),
)

test(
  'an unknown variable is an error with what was probably meant',
  inPlace(place => {
    assert.equal(place.problems(undefined, { SERVICE__CACHE_MOD: 'exact', SERVICE__XYZZY: '1' }), [
      'SERVICE__CACHE_MOD: there is no such setting; did you mean "SERVICE__CACHE_MODE"?',
      'SERVICE__XYZZY: there is no such setting; "deflector config show" lists them all',
    ])
  }),
)

test(
  'an unknown key is an error with its line and what was probably meant',
  inPlace(place => {
    assert.equal(place.problems('cache_mode = "exact"\n\n[server]\nprot = 1\n[nonsense]\na = 1\n'), [
      'service.toml:4: there is no setting "server.prot"; did you mean "server.port"?',
      'service.toml:5: there is no setting "nonsense"; remove it, or see "deflector config show" for all there are',
    ])
    assert.equal(place.problems('port = 1\n[layer2]\nclassifier_mode = "tiered"\n'), [
      'service.toml:1: there is no setting "port"; did you mean "server.port"?',
      'service.toml:3: there is no setting "layer2.classifier_mode"; did you mean "slm_router.classifier_mode"?',
    ])
  }),
)

test(
  'wrong values are named with their line, what is wanted and what was found',
  inPlace(place => {
    const file = [
      'cache_mode = "exakt"',
      'similarity_threshold = 1.5',
      'offline_mode = "yes"',
      'server = 5',
      'external_llm_url = "llm.example"',
      '[exact_cache]',
      'redis_db = 1.5',
    ]
    assert.equal(place.problems(file.join('\n')), [
      'service.toml:1: cache_mode must be exact, semantic or both, not "exakt"',
      'service.toml:2: similarity_threshold must be a number from 0 to 1, not 1.5',
      'service.toml:3: offline_mode must be true or false, not "yes"',
      'service.toml:4: server is a table; write it as [server] with its keys below',
      'service.toml:5: external_llm_url must be a URL that begins with http:// or https://, not "llm.example"',
      'service.toml:7: exact_cache.redis_db must be a whole number, 0 or more, not 1.5',
    ])
  }),
)

test(
  'a wrong value inside a list is named with the line of its own',
  inPlace(place => {
    const file = [
      '[[fallback_providers]]',
      'provider = "groq"',
      '[[fallback_providers]]',
      'provider = "groq"',
      'modle = "x"',
      '[[fallback_providers]]',
      'model = "x"',
      '[quota.groq]',
      'action_on_limit = "explode"',
    ]
    assert.equal(place.problems(file.join('\n')), [
      'service.toml:5: fallback_providers[1] has no field "modle"; did you mean "model"?',
      'service.toml:6: fallback_providers[2].provider is missing',
      'service.toml:9: quota.groq.action_on_limit is wrong: expected one of "warn"|"block"|"fallback"',
    ])
  }),
)

test(
  'wrong variables are named with what is wanted',
  inPlace(place => {
    assert.equal(
      place.problems(undefined, {
        SERVICE__PORT: 'http',
        SERVICE__OFFLINE_MODE: 'yes',
        SERVICE__CACHE_TTL_SECS: '0',
        SERVICE__DRAIN_SECS: '9999999',
      }),
      [
        'SERVICE__PORT: server.port must be a whole number from 0 to 65535, not "http"',
        'SERVICE__DRAIN_SECS: drain_secs must be a whole number from 0 to 2000000, not 9999999',
        'SERVICE__CACHE_TTL_SECS: cache_ttl_secs must be a whole number, 1 or more, not 0',
        'SERVICE__OFFLINE_MODE: offline_mode must be true or false, not "yes"',
      ],
    )
  }),
)

test(
  'broken JSON names its variable and quotes nothing of it',
  inPlace(place => {
    assert.equal(
      place.problems(undefined, {
        SERVICE__PROVIDER_KEYS: '[{"key": "sk-secret]',
        SERVICE__FALLBACK_PROVIDERS: '{"a":1}',
      }),
      [
        'SERVICE__PROVIDER_KEYS: provider_keys must be JSON, and this is not; check its quotes and brackets',
        'SERVICE__FALLBACK_PROVIDERS: fallback_providers must be a list of records',
      ],
    )
    assert.equal(place.problems(undefined, { SERVICE__PROVIDER_KEYS: '[{"kee": "sk-secret"}]' }), [
      'SERVICE__PROVIDER_KEYS: provider_keys[0].key is missing',
      'SERVICE__PROVIDER_KEYS: provider_keys[0] has no field "kee"; did you mean "key"?',
    ])
  }),
)

test(
  'the file and the variables are complained about together',
  inPlace(place => {
    assert.is(place.problems('nonsense = 1\ncache_mode = 2\n', { SERVICE__PORT: 'x', SERVICE__NO: '1' }).length, 4)
  }),
)

test(
  'what is no TOML is refused with its line, and the line is not quoted',
  inPlace(place => {
    const [problem = '', ...more] = place.problems('cache_mode = "exact"\nexternal_llm_api_key = "sk-secret\n')
    assert.match(problem, /^service\.toml:2: this is not valid TOML \(.*\); correct this line$/)
    assert.not.match(problem, 'sk-secret')
    assert.is(more.length, 0)
    assert.match(place.problems('a = 1\na = 2\n')[0] ?? '', 'service.toml:2: ')
  }),
)

test(
  'text without quotes is told as such, and not quoted: it may be a key',
  inPlace(place => {
    const told = (line: string): string => place.problems(`\n${line}\n`).join()
    const about = (name: string): string =>
      `service.toml:2: this is not valid TOML (text stands in quotes: ${name} = "..."); correct this line`
    assert.is(told('server.host = localhost'), about('server.host'))
    assert.is(told('server.host=127.0.0.1'), about('server.host'))
    assert.is(told('request_log_path = /var/log'), about('request_log_path'))
    for (const key of ['sk-secret', '0secret', 'secret']) {
      assert.is(told(`external_llm_api_key = ${key} # "mine"`), about('external_llm_api_key'))
      const inside = told(`provider_keys = [{ key = ${key} }]`)
      assert.is(inside, 'service.toml:2: this is not valid TOML (text stands in quotes); correct this line')
    }
    assert.not.match(told('usage = 2024-13-45'), '2024')
    assert.match(told('a : x'), 'Unexpected char ":"')
  }),
)

test(
  'a file that cannot be read is refused by name',
  inPlace(place => {
    mkdirSync(`${place.cwd}/service.toml`)
    assert.equal(place.problems(undefined), [
      'service.toml: cannot be read (EISDIR); check that it is a file and that you may read it',
    ])
  }),
)

test(
  'variables add to the maps of the file, and a name is meant in any case',
  inPlace(place => {
    const file = '[model_aliases]\nSmart-One = "big"\nslow = "old"\n[quota.openai]\ndaily_token_limit = 5\n'
    const loaded = place.load(file, {
      SERVICE__MODEL_ALIASES__SMART_ONE: 'bigger',
      SERVICE__MODEL_ALIASES__FAST: 'small',
      SERVICE__MODEL_ALIASES__Mixed: '4',
      SERVICE__QUOTA__OPENAI__ACTION_ON_LIMIT: 'block',
      SERVICE__FALLBACK_PROVIDERS: '[{"provider":"groq"},{"provider":"groq"}]',
      SERVICE__QUOTA__groq_2__monthly_cost_limit_usd: '1.5',
      SERVICE__USAGE_PRICING__OPENAI__INPUT_COST_PER_MILLION_USD: '2',
      SERVICE__CLASSIFIER_ROUTING__MATRIX__COMPLEX__DEFAULT: 'openai/gpt-x',
    })
    const { values, sources } = loaded
    assert.equal(values.model_aliases, { 'Smart-One': 'bigger', slow: 'old', fast: 'small', Mixed: '4' })
    assert.equal(values.quota, {
      openai: { daily_token_limit: 5, action_on_limit: 'block', warning_threshold_ratio: 0.8 },
      'groq-2': { monthly_cost_limit_usd: 1.5, warning_threshold_ratio: 0.8 },
    })
    assert.equal(values.usage_pricing, { openai: { input_cost_per_million_usd: 2 } })
    assert.equal(values['classifier_routing.matrix'], { complex: { default: 'openai/gpt-x' } })
    assert.equal(sources.get('model_aliases.slow'), { kind: 'file', file: 'service.toml', line: 3 })
    assert.equal(sources.get('quota.openai.action_on_limit'), {
      kind: 'env',
      name: 'SERVICE__QUOTA__OPENAI__ACTION_ON_LIMIT',
    })
  }),
)

test(
  'a quota of a provider that there is not is refused where it stands',
  inPlace(place => {
    assert.equal(
      place.problems('[quota.openai]\ndaily_token_limit = 5\n[quota.acme]\nmonthly_cost_limit_usd = 5\n', {
        SERVICE__FALLBACK_PROVIDERS: '[{"provider":"groq","name":"fast"},{"provider":"togetherai","name":"open"}]',
        SERVICE__QUOTA__TOGETHER__WEEKLY_TOKEN_LIMIT: '5',
        SERVICE__QUOTA__GROQ__WEEKLY_TOKEN_LIMIT: '5',
        SERVICE__QUOTA__FAST__WEEKLY_TOKEN_LIMIT: '5',
        SERVICE__QUOTA__GROK__DAILY_TOKEN_LIMIT: '5',
      }),
      [
        'service.toml:4: quota.acme is for "acme", which is no provider; name one of openai, fast, open, groq, togetherai',
        'SERVICE__QUOTA__GROK__DAILY_TOKEN_LIMIT: quota.grok is for "grok", which is no provider; name one of openai, fast, open, groq, togetherai',
      ],
    )
  }),
)

test(
  'limits of a key that there is not are refused where they stand',
  inPlace(place => {
    const file =
      '[limits.ann]\nrequests_per_minute = 5\n[limits.team-b]\nrequests_per_minute = 5\n[limits.bob]\ntokens_per_minute = 5\n'
    const keys = { SERVICE__GATEWAY_API_KEYS: '[{"key":"k","label":"ann"},{"key":"l","label":"team-b"}]' }
    const known = 'which is the label of no gateway key; name one of'
    assert.equal(
      place.problems(file, {
        ...keys,
        SERVICE__LIMITS__TEAM_B__TOKENS_PER_MINUTE: '5',
        SERVICE__LIMITS__TEAM_C__TOKENS_PER_MINUTE: '5',
      }),
      [
        `service.toml:6: limits.bob is for "bob", ${known} ann, team-b`,
        `SERVICE__LIMITS__TEAM_C__TOKENS_PER_MINUTE: limits.team-c is for "team-c", ${known} ann, team-b`,
      ],
    )
    const one = place.problems('[limits.default]\nrequests_per_minute = 5\n', { SERVICE__GATEWAY_API_KEY: 'secret' })
    assert.equal(one, [])
    assert.match(
      place.problems('[limits.default]\nrequests_per_minute = 5\n').join(),
      'no gateway key; set gateway_api_key or gateway_api_keys',
    )
  }),
)

test(
  "a map given as JSON replaces the file's",
  inPlace(place => {
    const loaded = place.load('[model_aliases]\nold = "x"\n', {
      SERVICE__MODEL_ALIASES: '{"new":"y"}',
      SERVICE__MODEL_ALIASES__more: 'z',
    })
    assert.equal(loaded.values.model_aliases, { new: 'y', more: 'z' })
    assert.is(loaded.sources.has('model_aliases.old'), false)
  }),
)

test(
  'a name that is far from all fields gets the nearest in words, and the fields',
  inPlace(place => {
    const fields = 'requests_per_minute, tokens_per_minute, daily_cost_limit_usd'
    assert.equal(
      place.problems('[limits.team-b]\ndaily_token_limit = 5\nnonsense = 1\n[[provider_keys]]\nkey = "k"\nlimit = 1\n'),
      [
        `service.toml:2: limits.team-b has no field "daily_token_limit"; did you mean "daily_cost_limit_usd"? Its fields are ${fields}`,
        `service.toml:3: limits.team-b has no field "nonsense"; its fields are ${fields}`,
        'service.toml:6: provider_keys[0] has no field "limit"; its fields are key, priority, label',
      ],
    )
  }),
)

test(
  'a wrong name in a map is refused',
  inPlace(place => {
    assert.equal(
      place.problems(undefined, {
        SERVICE__QUOTA__OPENAI: '5',
        SERVICE__QUOTA__OPENAI__DAYLY_TOKEN_LIMIT: '5',
        SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: 'much',
        SERVICE__MODEL_ALIASES__a__b: 'x',
      }),
      [
        'SERVICE__MODEL_ALIASES__a__b: write it as SERVICE__MODEL_ALIASES__<name>',
        'SERVICE__QUOTA__OPENAI: write it as SERVICE__QUOTA__<name>__<field>',
        'SERVICE__QUOTA__OPENAI__DAYLY_TOKEN_LIMIT: quota.openai has no field "dayly_token_limit"; did you mean "daily_token_limit"?',
        'SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: quota.openai.daily_token_limit is wrong: expected number, received string',
      ],
    )
  }),
)

test(
  'a setting that needs another one says which',
  inPlace(place => {
    assert.equal(place.problems('[exact_cache]\nprovider = "redis"\n'), [
      'service.toml:2: exact_cache.provider is "redis", which needs exact_cache.redis_url; set it in service.toml or as SERVICE__REDIS_URL',
    ])
    assert.equal(place.problems('', { SERVICE__SEMANTIC_BACKEND: 'tei' }), [
      'SERVICE__SEMANTIC_BACKEND: semantic_cache.provider is "tei", which needs semantic_cache.remote_url; set it in service.toml or as SERVICE__TEI_URL',
    ])
  }),
)

test(
  'two holders of one gateway key are refused without naming the key',
  inPlace(place => {
    const keys = '[{"key":"same-key","label":"ann"},{"key":"same-key","label":"bob"}]'
    const [problem = ''] = place.problems(undefined, { SERVICE__GATEWAY_API_KEYS: keys })
    assert.match(problem, 'gives "ann" and "bob" the same key')
    assert.not.match(problem, 'same-key')
    const main = {
      SERVICE__GATEWAY_API_KEY: 'same-key',
      SERVICE__GATEWAY_API_KEYS: '[{"key":"same-key","label":"ann"}]',
    }
    const [shared = ''] = place.problems(undefined, main)
    assert.match(shared, 'gives "ann" the key of gateway_api_key')
    assert.not.match(shared, 'same-key')
  }),
)

test(
  'loading makes no folder',
  inPlace(place => {
    const dataDir = `${place.root}/never`
    const loaded = loadSettings({ cwd: place.cwd, env: { SERVICE_DATA_DIR: dataDir } })
    assert.is(loaded.dataDir, dataDir)
    assert.throws(() => mkdirSync(`${dataDir}/x`), /ENOENT/)
  }),
)

test.run()
