import { nameFor } from 'deflector/formats/vendor-names'
import { providerNames } from './provider-names.ts'
import type { SettingValues } from './schema.ts'

/** A shorter gateway key can be guessed, and `***` is what a secret store shows in place of one. */
const SHORTEST_KEY = 8

/** Valid settings that their operator probably did not mean, one line for each. */
export function settingWarnings(values: SettingValues): string[] {
  return [...weakKeys(values), ...uselessFallbacks(values)]
}

function weakKeys({ gateway_api_key: single, gateway_api_keys: several }: SettingValues): string[] {
  const keys = [
    ...(single === '' ? [] : [{ key: single, at: 'gateway_api_key' }]),
    ...several.map(({ key, label }) => ({ key, at: `the gateway_api_keys of "${label}"` })),
  ]
  return keys.flatMap(({ key, at }) => {
    const [first] = key
    if (key.length >= SHORTEST_KEY && ![...key].every(character => character === first)) return []
    return [`${at} can be guessed, as it is short or one character repeated: set it to a long random text`]
  })
}

/** A quota that counts for each provider of the chain leaves none to fall back on. */
function uselessFallbacks(values: SettingValues): string[] {
  const names = providerNames(values)
  const vendors = [values.llm_provider, ...values.fallback_providers.map(({ provider }) => provider)]
  const policies = names.map((name, at) => nameFor(name, vendors[at], Object.keys(values.quota)))
  return [...new Set(policies)].flatMap(policy => {
    if (policy === undefined || values.quota[policy]?.action_on_limit !== 'fallback') return []
    if (!policies.every(other => other === policy)) return []
    const what = `quota.${policy} has action_on_limit = "fallback", and no other provider to go to`
    const [, ...others] = names
    if (others.length === 0) return [`${what}: add one to fallback_providers, or set "block"`]
    return [
      `${what}: it counts for ${names.join(', ')} together; give ${others.join(', ')} a quota of its own, or set "block"`,
    ]
  })
}
