import { hash } from 'node:crypto'
import type { Clock, Log, ProviderHandle, ProviderKey } from 'deflector'
import type { KeyRecords } from './key-records.ts'

export interface Cooldown {
  /** By the monotonic clock. From then on the key is half open: known to work once a request has shown it. */
  readonly until: number
  /** The account is out of credit: the client is told so, and not that a wait helps. */
  readonly outOfCredit: boolean
  /** Requests that use the half-open key now. */
  probes: number
}

/**
 * Keyed by provider, SHA-256 of the key, so that no secret is held, and
 * model or endpoint where it is one's alone.
 */
export type Cooldowns = Map<string, Cooldown>

export interface KeyPoolOptions {
  /** `round_robin` spreads the load; `priority` takes the best key that is not cooling. */
  strategyOf(provider: string): 'round_robin' | 'priority'
  /** Cooldown of a limited key when the vendor names no time. */
  readonly cooldownMs: number
  /** Longest cooldown, whatever the vendor asks for. */
  readonly cooldownMaxMs: number
}

/** A provider of the chain, under its instance name. */
export interface KeyOwner {
  readonly name: string
  /** What it is asked for: a key may be at its limit for one model and not for another. */
  readonly model?: string | undefined
  /** The same of a call that needs no model and names none. */
  readonly endpoint?: string | undefined
  readonly provider: Pick<ProviderHandle, 'keys'>
}

/**
 * A key (`undefined` where the vendor needs none), or why there is none. `missing`: none is configured; `cooling`: all
 * remaining keys cool down, the first for `recoveryMs` more, perhaps all out of credit; `spent`: this request has tried all of them.
 */
export type KeyChoice =
  | { readonly state: 'ready'; readonly key: ProviderKey | undefined }
  | { readonly state: 'missing' | 'spent' }
  | { readonly state: 'cooling'; readonly recoveryMs: number; readonly outOfCredit?: boolean }

/** The keys of all providers of a chain, and which of them cool down. Each key has a cooldown of its own. */
export class KeyPool {
  readonly #turns = new Map<string, number>()

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly options: KeyPoolOptions,
    private readonly cooldowns: Cooldowns = new Map(),
    private readonly records?: KeyRecords,
  ) {}

  /** The key for the next attempt. The attempt must begin in the same turn, or the key may be cooling by then. */
  choose(owner: KeyOwner, spent: ReadonlySet<string> = new Set()): KeyChoice {
    const { choice, index } = this.#look(owner, spent)
    if (index !== undefined) this.#turns.set(owner.name, index + 1)
    if (choice.state === 'ready' && choice.key)
      for (const cooldown of this.#cooldowns(owner, choice.key.key)) cooldown.probes++
    return choice
  }

  /** The vendor is asked with a chosen key: nothing has refused the call before. */
  asks(provider: string, { key }: ProviderKey): void {
    this.records?.used(idOf(provider, key), this.clock.now())
  }

  /** The attempt with a chosen key is over. `works`: its vendor took the key, so that a half-open one is open again. */
  ended(owner: KeyOwner, { key }: ProviderKey, works: boolean): void {
    if (this.cooldowns.size === 0) return
    const now = this.clock.monotonic()
    for (const id of idsOf(owner, key)) {
      const cooldown = this.cooldowns.get(id)
      if (!cooldown) continue
      if (works && cooldown.until <= now) this.cooldowns.delete(id)
      else cooldown.probes = Math.max(0, cooldown.probes - 1)
    }
  }

  /** Does this key cool down now? */
  isCooling(owner: KeyOwner, key: string): boolean {
    const now = this.clock.monotonic()
    return this.#cooldowns(owner, key).some(({ until }) => until > now)
  }

  /** Milliseconds for which a key cools down yet, for any model: the longest. */
  restMs(provider: string, key: string): number {
    const now = this.clock.monotonic()
    const own = idOf(provider, key)
    let rest = 0
    for (const [id, { until }] of this.cooldowns)
      if (id === own || id.startsWith(`${own}:`)) rest = Math.max(rest, until - now)
    return rest
  }

  /** What `choose` would give, without taking a turn. */
  peek(owner: KeyOwner, spent: ReadonlySet<string> = new Set()): KeyChoice {
    return this.#look(owner, spent).choice
  }

  /**
   * Starts the cooldown of one key: as long as the vendor asks, or the default, within the limit. For `scope` alone, see
   * `scopeOf`, or for all.
   */
  cool(provider: string, key: string, retryAfterMs?: number, scope?: string, outOfCredit = false): void {
    const now = this.clock.monotonic()
    // Keys that nobody has asked for since are not half open for ever.
    for (const [id, { until }] of this.cooldowns)
      if (until + this.options.cooldownMaxMs <= now) this.cooldowns.delete(id)
    const id = idOf(provider, key, scope)
    this.records?.limited(idOf(provider, key))
    const until = now + this.clamp(retryAfterMs ?? this.options.cooldownMs)
    // Two calls may fail at the same time: the longer cooldown counts.
    if (until >= (this.cooldowns.get(id)?.until ?? 0)) this.cooldowns.set(id, { until, outOfCredit, probes: 0 })
  }

  /** A wait that a vendor asks for, within the limit: some vendors send days. */
  clamp(ms: number): number {
    return Math.min(Math.max(0, ms), this.options.cooldownMaxMs)
  }

  #look(owner: KeyOwner, spent: ReadonlySet<string>): { readonly choice: KeyChoice; readonly index?: number } {
    const { name, provider } = owner
    const keys = this.#keys(name, provider)
    if (!keys) return { choice: { state: 'ready', key: undefined } }
    if (keys.length === 0) return { choice: { state: 'missing' } }
    // Counted, not compared: the loop must also end for a provider that makes a new key for every call.
    if (spent.size >= keys.length) return { choice: { state: 'spent' } }
    const now = this.clock.monotonic()
    let recoveryMs: number | undefined
    let outOfCredit = true
    /** Half open, and another request tries it already. */
    let tried: { readonly choice: KeyChoice; readonly index: number } | undefined
    for (const [index, key] of this.#ordered(name, keys)) {
      if (spent.has(key.key)) continue
      const cooldowns = this.#cooldowns(owner, key.key)
      const restMs = Math.max(0, ...cooldowns.map(({ until }) => until - now))
      if (restMs === 0) {
        const found = { choice: { state: 'ready', key }, index } as const
        if (!cooldowns.some(({ probes }) => probes > 0)) return found
        tried ??= found
        continue
      }
      outOfCredit &&= cooldowns.some(cooldown => cooldown.outOfCredit && cooldown.until > now)
      recoveryMs = Math.min(restMs, recoveryMs ?? restMs)
    }
    // A request that could be answered is not kept waiting for another one's outcome.
    if (tried) return tried
    if (recoveryMs === undefined) return { choice: { state: 'spent' } }
    return { choice: { state: 'cooling', recoveryMs, ...(outOfCredit && { outOfCredit }) } }
  }

  /** Those of a key: for all models, and for this one. Mostly no key cools down; then none has to be hashed. */
  #cooldowns(owner: KeyOwner, key: string): Cooldown[] {
    return this.cooldowns.size === 0 ? [] : idsOf(owner, key).flatMap(id => this.cooldowns.get(id) ?? [])
  }

  /** The keys in the order of the strategy, each with its place in the list. */
  #ordered(name: string, keys: readonly ProviderKey[]): [number, ProviderKey][] {
    const listed = [...keys.entries()]
    if (this.options.strategyOf(name) === 'priority') return listed.sort(([, a], [, b]) => rank(a) - rank(b))
    const from = (this.#turns.get(name) ?? 0) % keys.length
    return [...listed.slice(from), ...listed.slice(0, from)]
  }

  #keys(name: string, provider: Pick<ProviderHandle, 'keys'>): readonly ProviderKey[] | undefined {
    try {
      return provider.keys?.()
    } catch (error) {
      this.log.warn('the keys of a provider cannot be read', { provider: name, error: String(error) })
      return []
    }
  }
}

/** Keys without a priority come last, in the order of the list. */
const rank = ({ priority }: ProviderKey): number => priority ?? Number.MAX_SAFE_INTEGER

/** What a limit of the key holds for: a model, or an endpoint where none is named. `undefined`: for all. */
export const scopeOf = ({ model, endpoint }: Pick<KeyOwner, 'model' | 'endpoint'>): string | undefined =>
  model ?? endpoint

/** Of a key, and where it is for one scope alone, of both. */
export function idOf(provider: string, key: string, scope?: string): string {
  const id = `${provider}:${hash('sha256', key, 'hex')}`
  return scope === undefined ? id : `${id}:${scope}`
}

function idsOf(owner: KeyOwner, key: string): readonly string[] {
  const id = idOf(owner.name, key)
  const scope = scopeOf(owner)
  return scope === undefined ? [id] : [id, `${id}:${scope}`]
}
