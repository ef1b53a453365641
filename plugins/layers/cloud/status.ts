import { type Clock, maskedKey, type ProviderHandle, type ProviderKey } from 'deflector'
import type { ProviderEndpoint } from 'deflector/facets/provider-endpoint'
import type { KeyStatus, ProviderStatus, ProviderStatuses } from 'deflector/facets/provider-status'
import type { Circuits } from './circuits.ts'
import { idOf, type KeyPool } from './key-pool.ts'
import type { KeyRecords } from './key-records.ts'
import type { ProviderRecord, ProviderRecords } from './provider-records.ts'

/** What the status of a chain is gathered from. */
export interface StatusSources {
  readonly clock: Clock
  readonly providers: readonly ProviderHandle[]
  readonly endpoints: ReadonlyMap<string, ProviderEndpoint>
  readonly pool: KeyPool
  readonly circuits: Circuits
  readonly records: ProviderRecords
  readonly keyRecords: KeyRecords
  strategyOf(provider: string): string
  readonly cooldownSecs: number
  readonly offline: boolean
}

/** Gathered when it is asked for, and never held: keys come and go. */
export function statusesOf(sources: StatusSources): ProviderStatuses {
  const { providers, circuits, records, offline } = sources
  return {
    offline,
    statuses() {
      // One without a key is passed by.
      const [active] = circuits.ordered(providers.filter(provider => keysOf(provider)?.length !== 0))
      return providers.map(provider => statusOf(provider, provider === active, sources))
    },
    checked: (name, check) => {
      const provider = providers.find(one => one.name === name)
      if (provider) records.checked(name, check, scrubber(provider))
    },
  }
}

/** Takes a provider's keys out of a text, whoever wrote it. */
export function scrubber(provider: ProviderHandle | undefined): (text: string) => string {
  return text => {
    let clean = text
    for (const { key } of keysOf(provider) ?? []) if (key.length >= 4) clean = clean.replaceAll(key, '***')
    return clean
  }
}

function statusOf(provider: ProviderHandle, active: boolean, sources: StatusSources): ProviderStatus {
  const { endpoints, circuits, records, strategyOf, cooldownSecs } = sources
  const { name, model } = provider
  const record = records.of(name)
  const keys = keysOf(provider)
  return {
    name,
    active,
    status: keys?.length === 0 ? 'no_credential' : stateOf(record),
    model,
    endpoint: endpoints.get(name)?.url,
    keyConfigured: keys !== undefined && keys.length > 0,
    requests: record.requests,
    errors: record.errors,
    latencyMs: rounded(record.wholes.average),
    firstTokenMs: rounded(record.streams.average),
    circuit: circuits.stateOf(name),
    strategy: strategyOf(name),
    cooldownSecs,
    keys: (keys ?? []).map((key, at) => keyStatus(name, key, at + 1, sources)),
    lastSuccess: record.lastSuccess,
    lastError: record.lastError,
    lastErrorMessage: record.lastErrorMessage,
    lastCheck: record.lastCheck,
  }
}

const stateOf = ({ failing }: ProviderRecord): ProviderStatus['status'] =>
  failing === undefined ? 'unknown' : failing ? 'failing' : 'healthy'

function keyStatus(
  provider: string,
  { key, label, priority }: ProviderKey,
  position: number,
  { clock, pool, keyRecords }: StatusSources,
): KeyStatus {
  const record = keyRecords.get(idOf(provider, key))
  const restMs = pool.restMs(provider, key)
  return {
    maskedKey: maskedKey(key),
    position,
    label,
    priority,
    status: restMs > 0 ? 'cooling_down' : 'available',
    requests: record?.requests ?? 0,
    rateLimits: record?.rateLimits ?? 0,
    lastUsed: record?.lastUsed,
    cooldownUntil: restMs > 0 ? Math.round(clock.now() + restMs) : undefined,
  }
}

function keysOf(provider: ProviderHandle | undefined): readonly ProviderKey[] | undefined {
  try {
    return provider?.keys?.()
  } catch {
    return [] // the key pool has said so
  }
}

const rounded = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : Math.round(ms))
