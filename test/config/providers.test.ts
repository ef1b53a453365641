import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { deriveValues, pipelineSettings, settingOfEntry } from '../../config/providers.ts'
import { inPlace } from './place.ts'

test(
  'without settings the chain is the default vendor, without options of its own',
  inPlace(place => {
    const derived = deriveValues(place.load(undefined))
    assert.equal(derived.provider_entries, { openai: { use: 'openai', options: {} } })
    assert.equal(derived.provider_chain, ['openai'])
    assert.is(derived.demo_mode, false)
  }),
)

test(
  'what vendors may keep is said to each provider, which knows whether its format has anything to keep',
  inPlace(place => {
    const chain = ['openai-responses', 'azure', 'acme']
    const { provider_entries } = deriveValues(
      place.load(undefined, {
        SERVICE__RESPONSES_STORE: 'false',
        SERVICE__FALLBACK_PROVIDERS: JSON.stringify(chain.map(provider => ({ provider, name: `${provider}-own` }))),
      }),
    )
    for (const name of chain) assert.is(provider_entries[`${name}-own`]?.options.store, false)
  }),
)

test(
  'the chain is the primary and its fallbacks, a second of one vendor gets a number',
  inPlace(place => {
    const derived = deriveValues(
      place.load(undefined, {
        SERVICE__LLM_PROVIDER: 'groq',
        SERVICE__EXTERNAL_LLM_MODEL: 'llama',
        SERVICE__EXTERNAL_LLM_API_KEY: 'gsk-1',
        SERVICE__PROVIDER_KEYS: '[{"key":"gsk-2"}]',
        SERVICE__FALLBACK_PROVIDERS:
          '[{"provider":"groq","api_key":"gsk-3","url":"https://g.example/v1"},{"provider":"groq"},{"provider":"ollama","model":"m"}]',
        SERVICE__STREAM_IDLE_SECS: '7',
      }),
    )
    assert.equal(derived.provider_chain, ['groq', 'groq-2', 'groq-3', 'ollama'])
    assert.equal(derived.provider_entries, {
      groq: {
        use: 'groq',
        options: { model: 'llama', api_key: 'gsk-1', provider_keys: [{ key: 'gsk-2' }], stream_idle_secs: 7 },
      },
      'groq-2': { use: 'groq', options: { url: 'https://g.example/v1', api_key: 'gsk-3', stream_idle_secs: 7 } },
      'groq-3': { use: 'groq', options: { stream_idle_secs: 7 } },
      ollama: { use: 'ollama', options: { model: 'm', stream_idle_secs: 7 } },
    })
  }),
)

test(
  'weights and strategies of entries stand under the names of their providers',
  inPlace(place => {
    const fallback = [
      { provider: 'groq', weight: 3 },
      { provider: 'groq', key_rotation_strategy: 'priority' },
      { provider: 'ollama', name: 'spare', weight: 0 },
    ]
    const derived = deriveValues(place.load(undefined, { SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallback) }))
    assert.equal(derived.provider_weights, { groq: 3, spare: 0 })
    assert.equal(derived.provider_strategies, { 'groq-2': 'priority' })
  }),
)

test(
  'an entry may bear a name of its own',
  inPlace(place => {
    const load = (fallback: object[], more: object = {}) =>
      place.load(undefined, { SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallback), ...more })
    const derived = deriveValues(load([{ provider: 'groq', name: 'groq-eu', model: 'm' }, { provider: 'groq' }]))
    assert.equal(derived.provider_chain, ['openai', 'groq-eu', 'groq'])
    assert.equal(derived.provider_vendors, { openai: 'openai', 'groq-eu': 'groq', groq: 'groq' })
    assert.equal(derived.provider_entries['groq-eu'], { use: 'groq', options: { model: 'm' } })
    assert.throws(() => load([{ provider: 'groq', name: 'openai' }]), /"openai" to a second provider/)
    assert.throws(() => load([{ provider: 'groq', name: 'Groq EU' }]), /name/)
  }),
)

test(
  'models are sent to providers that there are',
  inPlace(place => {
    const load = (routes: object) => place.load(undefined, { SERVICE__MODEL_ROUTES: JSON.stringify(routes) })
    assert.equal(load({ 'gpt-*': 'openai' }).values.model_routes, { 'gpt-*': 'openai' })
    const { values } = place.load('[model_routes]\n"gpt-4.1*" = "openai"\n')
    assert.equal(values.model_routes, { 'gpt-4.1*': 'openai' })
    assert.throws(() => load({ 'claude-*': 'anthropic' }), /"claude-\*" to "anthropic".*openai/)
  }),
)

test(
  'hosted deployments get their deployment and API version',
  inPlace(place => {
    const { provider_entries } = deriveValues(
      place.load(undefined, {
        SERVICE__LLM_PROVIDER: 'azure',
        SERVICE__EXTERNAL_LLM_URL: 'https://r.example',
        SERVICE__AZURE_DEPLOYMENT_ID: 'mine',
        SERVICE__AZURE_API_VERSION: '2026-01-01',
      }),
    )
    assert.equal(provider_entries.azure?.options, {
      url: 'https://r.example',
      deployment: 'mine',
      api_version: '2026-01-01',
    })
  }),
)

test(
  'a fallback of a cloud with regions gets its region',
  inPlace(place => {
    const entry = { provider: 'bedrock', api_key: 'ID:SECRET', region: 'eu-west-1' }
    const { values, ...loaded } = place.load(undefined, { SERVICE__FALLBACK_PROVIDERS: JSON.stringify([entry]) })
    assert.equal(deriveValues({ values, ...loaded }).provider_entries.bedrock?.options, {
      api_key: 'ID:SECRET',
      region: 'eu-west-1',
    })
    assert.equal(settingOfEntry(values, ['bedrock', 'options', 'region']), {
      key: 'fallback_providers',
      path: [0, 'region'],
    })
    assert.throws(
      () => place.load(undefined, { SERVICE__FALLBACK_PROVIDERS: JSON.stringify([{ ...entry, region: '' }]) }),
      /region/,
    )
  }),
)

test(
  'the demo provider gets neither endpoint nor key',
  inPlace(place => {
    const derived = deriveValues(
      place.load(undefined, {
        SERVICE__LLM_PROVIDER: 'demo',
        SERVICE__EXTERNAL_LLM_URL: 'https://x.example',
        SERVICE__EXTERNAL_LLM_API_KEY: 'sk',
      }),
    )
    assert.equal(derived.provider_entries, { demo: { use: 'demo', options: {} } })
    assert.is(derived.demo_mode, true)
  }),
)

test(
  'answers are kept in memory, within the bounds of the settings',
  inPlace(place => {
    const { store_entries } = deriveValues(
      place.load(undefined, { SERVICE__CACHE_MAX_CAPACITY: '5', SERVICE__CACHE_MAX_BYTES: '6' }),
    )
    assert.equal(store_entries.answers, { use: 'memory', options: { max_entries: 5, max_bytes: 6 } })
    assert.is(store_entries.states?.use, 'memory')
  }),
)

test(
  'or in Redis, with options of its own; a database that nobody chose is left to the URL',
  inPlace(place => {
    const redis = { SERVICE__CACHE_BACKEND: 'redis', SERVICE__REDIS_URL: 'redis+cluster://a,b' }
    const entry = (more: Record<string, string>) => deriveValues(place.load(undefined, { ...redis, ...more }))
    const url = 'redis+cluster://a,b'
    const plain = { use: 'redis', options: { url } }
    assert.equal(entry({}).store_entries, { answers: plain, states: plain, counters: plain })
    const chosen = entry({ SERVICE__REDIS_DB: '0' }).store_entries
    const numbered = { use: 'redis', options: { url, db: 0 } }
    assert.equal(chosen, { answers: numbered, states: numbered, counters: numbered })
  }),
)

test(
  'semantic entries are kept beside the layer, or shared in the same Redis, whatever keeps exact ones',
  inPlace(place => {
    const url = 'redis://a'
    const { semantic_store, store_entries } = deriveValues(
      place.load(undefined, {
        SERVICE__SEMANTIC_CACHE__STORE: 'redis',
        SERVICE__REDIS_URL: url,
        SERVICE__REDIS_DB: '2',
      }),
    )
    assert.is(semantic_store, 'vectors')
    assert.is(store_entries.answers?.use, 'memory')
    assert.equal(store_entries.vectors, { use: 'redis', options: { url, db: 2 } })
    assert.is(deriveValues(place.load(undefined, { SERVICE__REDIS_URL: url })).semantic_store, undefined)
  }),
)

test(
  'the pipeline file can name every setting, even one without a value, and the derived ones',
  inPlace(place => {
    const settings = pipelineSettings(place.load(undefined))
    for (const key of [
      'exact_cache.redis_url',
      'external_llm_model',
      'provider_chain',
      'provider_vendors',
      'store_entries',
      'semantic_store',
      'demo_mode',
      'data_dir',
    ]) {
      assert.ok(Object.hasOwn(settings, key), key)
    }
  }),
)

test.run()
