import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { maskSecret } from '../../config/mask.ts'
import { ROWS } from '../../config/schema.ts'
import { settingsTable, shownSettings } from '../../config/show.ts'
import { inPlace } from './place.ts'

test('a secret is shown by its ends, a short one not at all', () => {
  assert.is(maskSecret('sk-abcdefghijklmnop1234'), 'sk-a…1234')
  assert.is(maskSecret('hunter2'), '…')
  assert.is(maskSecret('fifteen-letters'), '…')
  assert.is(maskSecret(''), '')
  assert.is(maskSecret('redis://user:p@ss/w@cache:6379/0'), 'redis://…@cache:6379/0')
  assert.is(maskSecret('redis://cache:6379'), 'redis://cache:6379')
})

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
    for (const text of [json, table]) assert.not.match(text, /secret/)
    const named = new Map(shown.map(setting => [setting.key, setting]))
    for (const [key] of ROWS) if (key !== 'model_aliases') assert.ok(named.has(key), key)
    assert.equal(named.get('gateway_api_key'), {
      key: 'gateway_api_key',
      value: 'gate…0001',
      source: 'SERVICE__GATEWAY_API_KEY',
      doc: 'Key that clients must send; empty turns authentication off.',
    })
    assert.equal(named.get('provider_keys')?.value, [{ key: 'vend…0004', label: 'one' }])
    assert.is(named.get('server.port')?.source, 'service.toml:2')
    assert.is(named.get('model_aliases.fast')?.value, 'm')
    assert.is(named.get('cache_mode')?.source, 'default')
    assert.match(table, /^server\.port +1 +service\.toml:2$/m)
  }),
)

test.run()
