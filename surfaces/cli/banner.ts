import { relative } from 'node:path'
import { type HealthStatus, health, statusByLabel } from 'deflector/facets/health'
import type { LoadedSettings } from '../../config/load.ts'
import { providerNames } from '../../config/provider-names.ts'
import { settingWarnings } from '../../config/warnings.ts'
import { isLoopback } from '../../core/addresses.ts'
import type { Gateway } from '../../core/gateway.ts'
import { type Address, addressText } from './address.ts'
import { packageVersion } from './package.ts'

/** Facts about a started gateway, for the banner or the log. */
export interface StartFacts {
  readonly version: string
  readonly address: string
  readonly pipeline: string
  readonly layers: readonly string[]
  readonly providers: readonly string[]
}

export function startFacts(gateway: Gateway, address: Address | undefined, cwd: string): StartFacts {
  const { pipeline } = gateway.current
  const near = relative(cwd, pipeline.file)
  const keyless = withoutCredential(gateway)
  return {
    version: packageVersion(),
    address: address ? bannerAddress(address) : 'none: no surface of this pipeline listens',
    pipeline: near.startsWith('..') ? pipeline.file : near,
    layers: Object.entries(layersOf(gateway)).map(([label, status]) =>
      status === 'active' ? label : `${label} (${status})`,
    ),
    providers: [...pipeline.instances.provider.keys()].map(name =>
      keyless.includes(name) ? `${name} (no_credential)` : name,
    ),
  }
}

/** Providers that need a key and have none, in the order of the file. */
const withoutCredential = (gateway: Gateway): string[] =>
  [...gateway.offers(health, 'provider')].flatMap(([name, status]) => (status() === 'no_credential' ? [name] : []))

/** Layer labels, and how each is. */
const layersOf = (gateway: Gateway): Record<string, HealthStatus> =>
  statusByLabel(gateway.current.status().layers, gateway.offers(health, 'layer'))

/** The banner for a terminal once the gateway serves. */
export function banner({ version, address, pipeline, layers, providers }: StartFacts): string {
  const rows = [
    ['address', address],
    ['pipeline', pipeline],
    ['layers', listed(layers)],
    ['providers', listed(providers, ' -> ')],
  ] as const
  return `deflector ${version}\n${rows.map(([name, value]) => `  ${name.padEnd(9)}  ${value}`).join('\n')}\n`
}

const bannerAddress = (address: Address): string =>
  address.host === undefined || isLoopback(address.host)
    ? addressText(address)
    : `${addressText(address)} (listening on ${address.host})`

const listed = (names: readonly string[], between = ', '): string => (names.length > 0 ? names.join(between) : 'none')

/** Warnings about valid settings that the operator probably did not intend. */
export function startWarnings(gateway: Gateway, address: Address | undefined, loaded: LoadedSettings): string[] {
  const { values } = loaded
  const warnings = settingWarnings(values)
  const open = values.gateway_api_key === '' && values.gateway_api_keys.length === 0
  if (open && address?.host !== undefined && !isLoopback(address.host)) {
    warnings.push(
      `every client that can connect to ${address.host}:${address.port} may use this gateway: set gateway_api_key (SERVICE__GATEWAY_API_KEY), or server.host (SERVICE__HOST) to 127.0.0.1`,
    )
  }
  const none = Object.values(layersOf(gateway)).includes('no_credential')
  for (const name of withoutCredential(gateway)) {
    const effect = none ? 'only cached answers can be given' : 'it is never asked'
    warnings.push(`no credential for ${name}: ${effect}; ${remedyFor(name, loaded)}`)
  }
  return warnings
}

/** How a provider is given its key: the primary, an entry of the settings, or one of the pipeline file's own. */
function remedyFor(name: string, { values, placeOf }: LoadedSettings): string {
  const at = providerNames(values).indexOf(name)
  const store = `run "deflector set-key --provider ${name}"`
  if (at === 0)
    return `${store}, set SERVICE__EXTERNAL_LLM_API_KEY (or SERVICE__EXTERNAL_LLM_API_KEY_FILE, or SERVICE__PROVIDER_KEYS), or try "deflector up --demo"`
  if (at < 0) return `${store}, or set its option api_key in the pipeline file`
  const entry = at - 1
  return `${store}, or set api_key (or provider_keys) of fallback_providers[${entry}], ${placeOf('fallback_providers', [entry])}`
}
