import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { settingWarnings } from '../../config/warnings.ts'
import { inPlace, type Place } from './place.ts'

const warnings = (place: Place, env: Record<string, string>): string[] =>
  settingWarnings(place.load(undefined, env).values)

test(
  'a gateway key that can be guessed is warned of, and never quoted',
  inPlace(place => {
    assert.match(warnings(place, { SERVICE__GATEWAY_API_KEY: '***' }).join(), /^gateway_api_key can be guessed/)
    assert.match(warnings(place, { SERVICE__GATEWAY_API_KEY: 'x'.repeat(40) }).join(), 'gateway_api_key can be guessed')
    const keys = JSON.stringify([
      { key: 'short', label: 'ann' },
      { key: 'a-long-random-text', label: 'bob' },
    ])
    const [ann, ...others] = warnings(place, { SERVICE__GATEWAY_API_KEYS: keys })
    assert.match(ann ?? '', '"ann"')
    assert.not.match(ann ?? '', 'short,')
    assert.equal(others, [])
  }),
)

test(
  'a quota that falls back, and that counts for the whole chain, is warned of',
  inPlace(place => {
    const quota = { openai: { daily_token_limit: 10, action_on_limit: 'fallback' } }
    const second = [{ provider: 'openai', name: 'second', model: 'm' }]
    const env = (more: object, chain: readonly object[] = second): Record<string, string> => ({
      SERVICE__QUOTA: JSON.stringify({ ...quota, ...more }),
      SERVICE__FALLBACK_PROVIDERS: JSON.stringify(chain),
    })
    assert.match(warnings(place, env({})).join(), 'it counts for openai, second together')
    assert.match(warnings(place, env({}, [])).join(), 'add one to fallback_providers')
    const responses = [{ provider: 'openai-responses', model: 'm' }]
    assert.match(warnings(place, env({}, responses)).join(), 'it counts for openai, openai-responses together')
    assert.equal(warnings(place, env({ second: { daily_token_limit: 10 } })), [])
    assert.equal(warnings(place, env({}, [...second, { provider: 'groq', model: 'm' }])), [])
    assert.equal(warnings(place, env({ openai: { ...quota.openai, action_on_limit: 'block' } })), [])
  }),
)

test(
  'a vendor key that no header can hold is refused by its setting, and never quoted',
  inPlace(place => {
    const pool = JSON.stringify([{ key: 'good-key' }, { key: 'schlüssel' }])
    assert.equal(place.problems('external_llm_api_key = "sk-ключ"', { SERVICE__PROVIDER_KEYS: pool }), [
      'service.toml:1: external_llm_api_key has letters or line breaks that no key has, so no vendor can be sent it; give the key as its vendor wrote it',
      'SERVICE__PROVIDER_KEYS: provider_keys[1].key has letters or line breaks that no key has, so no vendor can be sent it; give the key as its vendor wrote it',
    ])
    const entry = [{ provider: 'groq', model: 'm', api_key: 'x'.repeat(70_000) }]
    const [long = ''] = place.problems('', { SERVICE__FALLBACK_PROVIDERS: JSON.stringify(entry) })
    assert.match(long, 'SERVICE__FALLBACK_PROVIDERS: fallback_providers[0].api_key is longer than any key')
    assert.equal(place.problems(`external_llm_api_key = '{ "private_key": "é" }'`), [])
  }),
)

test(
  'a gateway key that clients send in several ways, or not at all, is refused, as it would lock everybody out',
  inPlace(place => {
    const keys = JSON.stringify([
      { key: 'good-key', label: 'a' },
      { key: 'two\nlines', label: 'b' },
    ])
    const words =
      'has letters or line breaks that clients cannot send in a header; give one of letters a to z, digits and signs'
    assert.equal(place.problems('gateway_api_key = "schlüssel"', { SERVICE__GATEWAY_API_KEYS: keys }), [
      `service.toml:1: gateway_api_key ${words}`,
      `SERVICE__GATEWAY_API_KEYS: gateway_api_keys[1].key ${words}`,
    ])
    assert.equal(place.problems('gateway_api_key = " with spaces, and a line break behind it\\n"'), [])
  }),
)

test.run()
