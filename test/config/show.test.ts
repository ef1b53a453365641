import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { maskSecret, maskUrl } from '../../config/mask.ts'
import { ROWS } from '../../config/schema.ts'
import { settingsTable, shownSettings } from '../../config/show.ts'
import { inPlace } from './place.ts'

test('a secret is shown by its ends, a short one not at all', () => {
  assert.is(maskSecret('sk-abcdefghijklmnop1234'), 'sk…34')
  assert.is(maskSecret('hunter2'), '…')
  assert.is(maskSecret('fifteen-letters'), '…')
  assert.is(maskSecret(''), '')
  assert.is(maskSecret('redis://user:p@ss/w@cache:6379/0'), 'redis://…@cache:6379/0')
  assert.is(maskSecret('redis://cache:6379'), 'redis://cache:6379')
})

test('of a URL everything is shown but its credentials, the values of its query and its fragment', () => {
  const cases = [
    ['https://h.example/v1', 'https://h.example/v1'],
    ['https://user:hunter2@h/v1?key=QSECRET', 'https://…@h/v1?key=…'],
    ['https://h/v1?key=QSECRET&api-version=1#FRAGMENT', 'https://h/v1?key=…&api-version=…#…'],
    ['https://h/v1?QSECRET', 'https://h/v1?…'],
    ['https://h/v1?key=a@QSECRET', 'https://h/v1?key=…'],
    ['https://h/v1?key=a?b=QSECRET', 'https://h/v1?key=…'],
    ['https://h/v1?empty=&', 'https://h/v1?empty=&'],
    ['https://h/v1#a=QSECRET', 'https://h/v1#…'],
    ['https://user:hun?ter2@h/v1', 'https://…'],
    ['https://user:hun/ter2@h/v1', 'https://…@h/v1'],
    ['https://api.{region}.example/v1', 'https://api.{region}.example/v1'],
    ['user:hunter2@h/v1?key=QSECRET', '…@h/v1?key=…'],
  ] as const
  for (const [url, shown] of cases) assert.is(maskUrl(url), shown)
})

test(
  'no secret inside a URL is shown, whatever setting holds it',
  inPlace(place => {
    const secrets = {
      SERVICE__EXTERNAL_LLM_URL: 'https://user:hunter2@h/v1?key=QSECRET',
      SERVICE__FALLBACK_PROVIDERS: '[{"provider":"groq","url":"https://user:hunter2@h/v1?key=QSECRET"}]',
      SERVICE__MODEL_ALIASES: '{"m":"https://user:hunter2@h/m","key":"not-a-secret"}',
      SERVICE__REDIS_URL: 'redis://user:hunter2@cache:6379?password=QSECRET',
      SERVICE__SESSION_HEADERS: '["https://user:hunter2@h/"]',
    }
    const shown = shownSettings(place.load(undefined, secrets))
    for (const text of [JSON.stringify(shown), settingsTable(shown)]) assert.not.match(text, /hunter2|QSECRET/)
    const named = new Map(shown.map(({ key, value }) => [key, value]))
    assert.is(named.get('external_llm_url'), 'https://…@h/v1?key=…')
    assert.equal(named.get('fallback_providers'), [{ provider: 'groq', url: 'https://…@h/v1?key=…' }])
    assert.is(named.get('model_aliases.key'), 'not-a-secret')
  }),
)

test(
  'a refused URL is quoted without its secrets',
  inPlace(place => {
    for (const url of ['user:hunter2@h/v1?key=QSECRET', 'htps://user:hunter2@h/v1?key=QSECRET']) {
      const [problem = ''] = place.problems(undefined, { SERVICE__EXTERNAL_LLM_URL: url })
      assert.match(problem, /^SERVICE__EXTERNAL_LLM_URL: external_llm_url must be a URL .*…@h\/v1\?key=…"$/)
    }
    const [port = ''] = place.problems(undefined, { SERVICE__PORT: 'https://user:hunter2@h/v1?key=QSECRET' })
    assert.not.match(port, /hunter2|QSECRET/)
  }),
)

test(
  'every setting is shown with value and source, and no secret whole',
  inPlace(place => {
    const secrets = {
      SERVICE__GATEWAY_API_KEY: 'gateway-secret-000001',
      SERVICE__GATEWAY_API_KEYS: '[{"key":"gateway-secret-000002","label":"ann"}]',
      SERVICE__EXTERNAL_LLM_API_KEY: 'vendor-secret-000003',
      SERVICE__PROVIDER_KEYS: '[{"key":"vendor-secret-000004","label":"one"}]',
      SERVICE__FALLBACK_PROVIDERS:
        '[{"provider":"groq","api_key":"vendor-secret-000005","provider_keys":[{"key":"vendor-secret-000006"}]}]',
      SERVICE__REDIS_URL: 'redis://:redis-secret-000007@cache:6379',
    }
    const shown = shownSettings(place.load('[server]\nport = 1\n[model_aliases]\nfast = "m"\n', secrets))
    const json = JSON.stringify(shown)
    const table = settingsTable(shown)
    for (const text of [json, table]) assert.not.match(text, /-secret-/)
    const named = new Map(shown.map(setting => [setting.key, setting]))
    for (const [key] of ROWS) if (key !== 'model_aliases') assert.ok(named.has(key), key)
    assert.equal(named.get('gateway_api_key'), {
      key: 'gateway_api_key',
      value: 'ga…01',
      source: 'SERVICE__GATEWAY_API_KEY',
      doc: 'Key that clients must send; empty turns authentication off.',
    })
    assert.equal(named.get('provider_keys')?.value, [{ key: 've…04', label: 'one' }])
    assert.is(named.get('server.port')?.source, 'service.toml:2')
    assert.is(named.get('model_aliases.fast')?.value, 'm')
    assert.is(named.get('cache_mode')?.source, 'default')
    assert.match(table, /^server\.port +1 +service\.toml:2$/m)
  }),
)

test.run()
