import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { maskedLines } from '../../config/masked-toml.ts'

const masked = (text: string): string => maskedLines(text).join('\n')

test('secrets are masked wherever a setting holds one, and all else stays', () => {
  const file = `# ours
gateway_api_key = "key-of-the-gateway-01" # the key
external_llm_url = "https://user:hunter2@h/v1" # with a password
provider_keys = [{ key = 'sk-first-0123456789-abcd', label = "first" }, { key = "short" }]
cache_mode = "exact"

[exact_cache]
redis_url = "redis://user:hunter2@cache:6379"

[[fallback_providers]]
provider = "groq"
api_key = "gsk-first-0123456789-abcd"

[sign_in.acme]
client_id = "acme-client"
client_secret = "secret-0123456789-of-acme"
`
  assert.is(
    masked(file),
    file
      .replace('key-of-the-gateway-01', 'ke…01')
      .replaceAll('user:hunter2@', '…@')
      .replace("'sk-first-0123456789-abcd'", '"sk-…bcd"')
      .replace('"short"', '"…"')
      .replace('gsk-first-0123456789-abcd', 'gsk…bcd')
      .replace('secret-0123456789-of-acme', 'sec…cme'),
  )
})

test('a secret of several lines is masked, and every line keeps its place', () => {
  const file = 'external_llm_api_key = """\nline-one-0123456789\nline-two-0123456789"""\ncache_ttl_secs = 3\n'
  const lines = maskedLines(file)
  assert.is(lines.length, file.split('\n').length)
  assert.is(lines[3], 'cache_ttl_secs = 3')
  assert.not.match(lines.join('\n'), '0123456789')
})

test('what was commented out is masked, too', () => {
  const file = '# external_llm_api_key = "short-one"\ncache_ttl_secs = 3 # was sk-0123456789abcdef before\n'
  assert.is(masked(file), '# external_llm_api_key = …\ncache_ttl_secs = 3 # was … before\n')
})

test.run()
