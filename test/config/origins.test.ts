import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { LoadedSettings } from '../../config/load.ts'
import { sourcesOf } from '../../config/origins.ts'
import { inPlace } from './place.ts'

const TOML = `llm_provider = "custom"

[[fallback_providers]]
provider = "groq"

[[fallback_providers]]
provider = "opnai"
url = "http://a"
`

const clausesOf = (loaded: LoadedSettings) => {
  const source = sourcesOf(loaded)
  return (setting: string, path: readonly PropertyKey[]) => source(setting, path)?.clause
}

test(
  'a value of a provider is traced to its setting, and that to its line',
  inPlace(place => {
    const source = clausesOf(place.load(TOML))
    assert.is(source('provider_entries', ['opnai', 'use']), 'fallback_providers[1].provider comes from service.toml:7')
    assert.is(
      source('provider_entries', ['opnai', 'options', 'url']),
      'fallback_providers[1].url comes from service.toml:8',
    )
    assert.is(
      source('provider_entries', ['groq', 'options', 'api_key']),
      'set fallback_providers[0].api_key, service.toml:3',
    )
    assert.is(source('provider_entries', ['custom', 'use']), 'llm_provider comes from service.toml:1')
    assert.is(
      sourcesOf(place.load(TOML))('provider_entries', ['opnai', 'use'])?.setting,
      'fallback_providers[1].provider',
    )
    assert.is(
      source('similarity_threshold', []),
      'set similarity_threshold in service.toml, or SERVICE__SIMILARITY_THRESHOLD',
    )
  }),
)

test(
  'a variable is named, and what is missing says which setting gives it',
  inPlace(place => {
    const fallbacks = JSON.stringify([{ provider: 'opnai' }])
    const source = clausesOf(
      place.load(undefined, { SERVICE__LLM_PROVIDER: 'custom', SERVICE__FALLBACK_PROVIDERS: fallbacks }),
    )
    assert.is(source('provider_entries', ['custom', 'use']), 'llm_provider comes from SERVICE__LLM_PROVIDER')
    assert.is(
      source('provider_entries', ['opnai', 'use']),
      'fallback_providers[0].provider comes from SERVICE__FALLBACK_PROVIDERS',
    )
    const url = 'set external_llm_url in service.toml, or SERVICE__EXTERNAL_LLM_URL'
    assert.is(source('provider_entries', ['custom', 'options', 'url']), url)
    for (const path of [[], ['nobody', 'use'], ['custom', 'options', 'no-option']])
      assert.is(source('provider_entries', path), undefined)
    assert.is(source('store_entries', ['answers', 'use']), undefined)
  }),
)

test.run()
