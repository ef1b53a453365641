import type { Environment } from './data-dir.ts'
import { embedderOf } from './embedder.ts'
import type { Entry } from './entry.ts'
import type { LoadedSettings } from './load.ts'
import { providerNames } from './provider-names.ts'
import type { SettingKey, SettingValues } from './schema.ts'
import { smallModelsOf } from './small-model.ts'

/** Read-only values that the pipeline file may use besides the settings. */
export interface DerivedValues {
  /** The providers that the settings describe, by instance name. */
  readonly provider_entries: Readonly<Record<string, Entry>>
  /** Their names, the primary first. */
  readonly provider_chain: readonly string[]
  /** The vendor of each, as its entry names it (`use`), by instance name. */
  readonly provider_vendors: Readonly<Record<string, string>>
  /** Shares of those whose entry has a `weight`. */
  readonly provider_weights: Readonly<Record<string, number>>
  /** How keys are chosen, of those whose entry says so. */
  readonly provider_strategies: Readonly<Record<string, NonNullable<Fallback['key_rotation_strategy']>>>
  /** The stores that the settings describe, by instance name. */
  readonly store_entries: Readonly<Record<string, Entry>>
  /** The store in which replicas share semantic entries; without it each replica keeps its own in memory. */
  readonly semantic_store: string | undefined
  /** The store in which replicas count together; without it each replica counts for itself. */
  readonly counter_store: string | undefined
  /** The models that the settings describe, by instance name: what embeds prompts, and the small ones that write. */
  readonly model_entries: Readonly<Record<string, Entry>>
  /** The model that writes local answers, and the one that classifies prompts for it; each only where there is one. */
  readonly slm_writer: string | undefined
  readonly slm_intent: string | undefined
  /** The primary provider is the built-in demo. */
  readonly demo_mode: boolean
  readonly data_dir: string
  readonly model_cache_dir: string | undefined
}

/** The built-in provider, which calls no vendor. */
export const DEMO = 'demo'

/** The store of what vendors hold for whom: no answers, so that to clear these forgets nobody's files and threads. */
const STATES = 'states'
/** Some hundred bytes each. */
const STATE_BOUNDS = { max_entries: 100_000, max_bytes: 32 << 20 }

/** The store of semantic entries, where they are shared. */
const VECTORS = 'vectors'

/** The store of counters, where they are shared. */
const COUNTERS = 'counters'

type Fallback = SettingValues['fallback_providers'][number]

export function deriveValues(loaded: LoadedSettings): DerivedValues {
  const { values, sources, dataDir, modelCacheDir } = loaded
  // What is set for all; the limits of one entry come after it.
  const common = Object.fromEntries(
    Object.entries(COMMON)
      .filter(([, key]) => sources.get(key)?.kind !== 'default')
      .map(([option, key]) => [option, values[key]]),
  )
  const entries: Record<string, Entry> = {}
  const shared = values['semantic_cache.store'] === 'redis'
  const counted = values['exact_cache.provider'] === 'redis'
  const small = smallModelsOf(loaded)
  const names = providerNames(values)
  for (const [at, described] of [primaryOf(values), ...values.fallback_providers].entries()) {
    const use = described.provider
    // The demo calls no vendor, so it would refuse an endpoint or a key.
    const options =
      use === DEMO ? optionsOf({ provider: use, model: described.model }) : { ...common, ...optionsOf(described) }
    entries[names[at] ?? use] = { use, options }
  }
  return {
    provider_entries: entries,
    provider_chain: Object.keys(entries),
    provider_vendors: Object.fromEntries(Object.entries(entries).map(([name, { use }]) => [name, use])),
    provider_weights: ofEntries(values, names, ({ weight }) => weight),
    provider_strategies: ofEntries(values, names, ({ key_rotation_strategy }) => key_rotation_strategy),
    store_entries: {
      answers: answersOf(loaded),
      [STATES]: counted ? redisOf(loaded) : { use: 'memory', options: STATE_BOUNDS },
      ...(counted && { [COUNTERS]: redisOf(loaded) }),
      ...(shared && { [VECTORS]: redisOf(loaded) }),
    },
    semantic_store: shared ? VECTORS : undefined,
    counter_store: counted ? COUNTERS : undefined,
    model_entries: { embedder: embedderOf(loaded), ...small.entries },
    slm_writer: small.writer,
    slm_intent: small.intent,
    demo_mode: values.llm_provider === DEMO,
    data_dir: dataDir,
    model_cache_dir: modelCacheDir,
  }
}

/** What the entries of `fallback_providers` say, by instance name; the primary has settings of its own. */
function ofEntries<T>(
  values: SettingValues,
  names: readonly string[],
  read: (entry: Fallback) => T | undefined,
): Record<string, T> {
  const said: Record<string, T> = {}
  for (const [at, entry] of values.fallback_providers.entries()) {
    const value = read(entry)
    const name = names[at + 1]
    if (value !== undefined && name !== undefined) said[name] = value
  }
  return said
}

/** All values for `${...}` in a pipeline file: settings, derived values, and environment variables as `env:NAME`. */
export const pipelineSettings = (loaded: LoadedSettings, env: Environment = {}): Readonly<Record<string, unknown>> => ({
  ...variablesIn(env),
  ...loaded.values,
  ...deriveValues(loaded),
})

/** An empty variable counts as unset, as everywhere in the settings. */
const variablesIn = (env: Environment): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[`env:${name}`, value]] : [])))

/** The store of exact answers. Each kind of store has its own options, so both are chosen together. */
function answersOf(loaded: LoadedSettings): Entry {
  const { values } = loaded
  const use = values['exact_cache.provider']
  if (use === 'redis') return redisOf(loaded)
  return { use, options: { max_entries: values.cache_max_capacity, max_bytes: values.cache_max_bytes } }
}

/** The one Redis of the settings. Its stores separate their keys by instance name. */
function redisOf({ values, sources }: LoadedSettings): Entry {
  // The default database must not override one that the URL names.
  const chosen = (sources.get('exact_cache.redis_db')?.kind ?? 'default') !== 'default'
  const db = chosen ? { db: values['exact_cache.redis_db'] } : {}
  return { use: 'redis', options: { url: values['exact_cache.redis_url'], ...db } }
}

/** The settings of the primary, which has the fields of a fallback under other names. */
export const PRIMARY = {
  provider: 'llm_provider',
  model: 'external_llm_model',
  api_key: 'external_llm_api_key',
  url: 'external_llm_url',
  provider_keys: 'provider_keys',
  azure_deployment_id: 'azure_deployment_id',
  azure_api_version: 'azure_api_version',
} as const satisfies Partial<Record<keyof Fallback, SettingKey>>

const primaryOf = (values: SettingValues): Fallback => ({
  provider: values[PRIMARY.provider],
  model: values[PRIMARY.model] ?? undefined,
  api_key: values[PRIMARY.api_key],
  url: values[PRIMARY.url],
  provider_keys: values[PRIMARY.provider_keys],
  azure_deployment_id: values[PRIMARY.azure_deployment_id],
  azure_api_version: values[PRIMARY.azure_api_version],
})

/** Options of every provider that calls a vendor, and the setting for each. */
const COMMON = {
  connect_secs: 'connect_secs',
  stream_idle_secs: 'stream_idle_secs',
  hosted_tools: 'hosted_tools',
  propagate_trace: 'propagate_trace',
  store: 'responses_store',
} as const satisfies Record<string, SettingKey>

/** The options of a provider's plugin, and the field of an entry for each. */
const OPTIONS = {
  url: 'url',
  model: 'model',
  api_key: 'api_key',
  provider_keys: 'provider_keys',
  deployment: 'azure_deployment_id',
  api_version: 'azure_api_version',
  region: 'region',
  connect_secs: 'connect_secs',
  first_event_secs: 'first_event_secs',
  whole_answer_secs: 'whole_answer_secs',
  stream_idle_secs: 'stream_idle_secs',
  larger_context: 'larger_context',
} as const satisfies Record<string, keyof Fallback>

/** Only options that are set; the preset has defaults for the rest. */
function optionsOf(entry: Fallback): Record<string, unknown> {
  const options = Object.entries(OPTIONS).map(([option, field]) => [option, entry[field]] as const)
  return Object.fromEntries(options.filter(([, value]) => !isUnset(value)))
}

const isUnset = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** A setting, and the way to a part of it. */
export interface Place {
  readonly key: SettingKey
  readonly path: readonly PropertyKey[]
}

/** The setting behind a part of `provider_entries`: `[name, 'use']` or `[name, 'options', option, …]`. */
export function settingOfEntry(
  values: SettingValues,
  [name, part, option, ...rest]: readonly PropertyKey[],
): Place | undefined {
  const at = providerNames(values).indexOf(String(name))
  const field = part === 'use' ? 'provider' : Object.entries(OPTIONS).find(([known]) => known === option)?.[1]
  if (at < 0 || field === undefined) return undefined
  const own = Object.entries(PRIMARY).find(([known]) => known === field)?.[1]
  if (at > 0) return { key: 'fallback_providers', path: [at - 1, field, ...rest] }
  return own && { key: own, path: rest }
}
