import { isForOne } from 'deflector/formats/vendor-names'
import { gatewayKeyProblem, keyProblem } from './key-problem.ts'
import { isOwnListener } from './own-listener.ts'
import { providerNames } from './provider-names.ts'
import { isSettingKey, type SettingKey, type SettingValues, variablesOf } from './schema.ts'
import { smallModelsOf } from './small-model.ts'
import { type Source, sourceText } from './sources.ts'

/** Settings that are valid alone but contradict each other. One line for each. */
export function checkCombinations(values: SettingValues, sources: ReadonlyMap<string, Source>): string[] {
  const problems: string[] = []
  const origin = (key: SettingKey): string => sourceText(sources.get(key) ?? { kind: 'default' })
  /** Of a table inside a map: its first field. */
  const originOf = (path: string): string => {
    const [, source] = [...sources].find(([key]) => key.startsWith(`${path}.`)) ?? []
    return sourceText(source ?? { kind: 'default' })
  }
  const originOfKey = (name: string): string => (isSettingKey(name) ? origin(name) : name)
  const needs = (key: SettingKey, other: SettingKey, when: boolean): void => {
    if (!when || values[other]) return
    problems.push(
      `${origin(key)}: ${key} is "${String(values[key])}", which needs ${other}; set it in service.toml or as ${variablesOf(other)[0]}`,
    )
  }
  needs('exact_cache.provider', 'exact_cache.redis_url', values['exact_cache.provider'] === 'redis')
  needs('semantic_cache.provider', 'semantic_cache.remote_url', values['semantic_cache.provider'] === 'tei')
  needs('semantic_cache.store', 'exact_cache.redis_url', values['semantic_cache.store'] === 'redis')
  const vllm = values.enable_slm_router && values['slm_router.provider'] === 'vllm'
  needs('slm_router.provider', 'slm_router.remote_url', vllm)
  for (const key of smallModelsOf({ values }).servers) {
    if (!isOwnListener(values[key], values)) continue
    problems.push(
      `${origin(key)}: ${key} is the gateway's own listener (server.port is ${values['server.port']}, ${origin('server.port')}); give the model server or the gateway another port`,
    )
  }

  const keyProblems = [
    ...vendorKeys(values).map(([field, key]) => [field, keyProblem(key)] as const),
    ...gatewayKeys(values).map(([field, key]) => [field, gatewayKeyProblem(key)] as const),
  ]
  for (const [field, problem] of keyProblems) {
    const [setting = ''] = field.split(/[[.]/)
    if (problem !== undefined) problems.push(`${originOfKey(setting)}: ${field} ${problem}`)
  }
  const seen = new Map<string, string>()
  for (const { key, label } of values.gateway_api_keys) {
    if (key === values.gateway_api_key)
      problems.push(
        `${origin('gateway_api_keys')}: gateway_api_keys gives "${label}" the key of gateway_api_key; give each holder a key of its own`,
      )
    const holder = seen.get(key)
    const text = holder === label ? `lists "${label}" twice` : `gives "${holder}" and "${label}" the same key`
    if (holder !== undefined)
      problems.push(`${origin('gateway_api_keys')}: gateway_api_keys ${text}; give each holder a key of its own`)
    seen.set(key, label)
  }
  const names = providerNames(values)
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice !== undefined)
    problems.push(
      `${origin('fallback_providers')}: fallback_providers gives the name "${twice}" to a second provider; name each apart`,
    )
  for (const [pattern, provider] of Object.entries(values.model_routes)) {
    if (names.includes(provider)) continue
    problems.push(
      `${origin('model_routes')}: model_routes sends "${pattern}" to "${provider}", which is no provider; name one of ${names.join(', ')}`,
    )
  }
  const vendors = [values.llm_provider, ...values.fallback_providers.map(({ provider }) => provider)]
  const uses = Object.fromEntries(names.map((name, at) => [name, vendors[at]]))
  const limited = [...new Set([...names, ...vendors])]
  for (const name of Object.keys(values.quota)) {
    if (isForOne(name, uses)) continue
    problems.push(
      `${originOf(`quota.${name}`)}: quota.${name} is for "${name}", which is no provider; name one of ${limited.join(', ')}`,
    )
  }
  const labels = [...(values.gateway_api_key ? ['default'] : []), ...values.gateway_api_keys.map(({ label }) => label)]
  for (const label of Object.keys(values.limits)) {
    if (labels.includes(label)) continue
    const known = labels.length > 0 ? `name one of ${labels.join(', ')}` : 'set gateway_api_key or gateway_api_keys'
    problems.push(
      `${originOf(`limits.${label}`)}: limits.${label} is for "${label}", which is the label of no gateway key; ${known}`,
    )
  }
  if (values.key_cooldown_max_secs < values.key_cooldown_secs) {
    problems.push(
      `${origin('key_cooldown_max_secs')}: key_cooldown_max_secs (${values.key_cooldown_max_secs}) is below key_cooldown_secs (${values.key_cooldown_secs}, ${origin('key_cooldown_secs')}); raise the one or lower the other`,
    )
  }
  return problems
}

/** The vendor keys of the settings, each by its field. */
function vendorKeys({ external_llm_api_key: primary, provider_keys, fallback_providers }: SettingValues) {
  const pool = (at: string, keys: readonly { readonly key: string }[] = []): [string, string][] =>
    keys.map(({ key }, index) => [`${at}provider_keys[${index}].key`, key])
  const entries = fallback_providers.flatMap(({ api_key, provider_keys: keys }, index): [string, string][] => {
    const at = `fallback_providers[${index}].`
    return [...(api_key === undefined ? [] : [[`${at}api_key`, api_key] as [string, string]]), ...pool(at, keys)]
  })
  return [
    ...(primary === undefined ? [] : [['external_llm_api_key', primary] as [string, string]]),
    ...pool('', provider_keys),
    ...entries,
  ]
}

const gatewayKeys = ({ gateway_api_key, gateway_api_keys }: SettingValues): [string, string][] => [
  ['gateway_api_key', gateway_api_key],
  ...gateway_api_keys.map(({ key }, index): [string, string] => [`gateway_api_keys[${index}].key`, key]),
]
