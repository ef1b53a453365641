import { createHash } from 'node:crypto'
import type { Clock, Log, ProviderHandle, ProviderKey } from 'deflector'

/** Until when (by the monotonic clock) a key cools. Keyed by provider and SHA-256 of the key: a heap dump shows no secret. */
export type Cooldowns = Map<string, number>

export interface KeyPoolOptions {
  /** `round_robin` spreads the load; `priority` takes the best key that is not cooling. */
  readonly strategy: 'round_robin' | 'priority'
  /** How long a limited key rests when the vendor does not say. */
  readonly cooldownMs: number
  /** No vendor can rest a key for longer. */
  readonly cooldownMaxMs: number
}

/** A provider of the chain, under its instance name. */
export interface Link {
  readonly name: string
  readonly provider: Pick<ProviderHandle, 'keys'>
}

/**
 * What the pool can give: a key (`undefined` where the vendor needs none), or why not. `missing`: none is configured;
 * `cooling`: all that are left rest, the first for `recoveryMs` more; `spent`: all were tried by this request.
 */
export type KeyChoice =
  | { readonly state: 'ready'; readonly key: ProviderKey | undefined }
  | { readonly state: 'missing' | 'spent' }
  | { readonly state: 'cooling'; readonly recoveryMs: number }

/** The keys of all providers of a chain, and which of them rest. Each key rests for itself alone. */
export class KeyPool {
  readonly #turns = new Map<string, number>()

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly options: KeyPoolOptions,
    private readonly cooldowns: Cooldowns = new Map(),
  ) {}

  /** The key for the next attempt. The attempt must begin in the same turn, or the key may be cooling by then. */
  pick(link: Link, spent: ReadonlySet<string> = new Set()): KeyChoice {
    const found = this.#look(link, spent)
    if (found.index !== undefined) this.#turns.set(link.name, found.index + 1)
    return found.pick
  }

  /** What `pick` would say, without taking a turn. */
  peek(link: Link, spent: ReadonlySet<string> = new Set()): KeyChoice {
    return this.#look(link, spent).pick
  }

  /** Rests one key, for as long as the vendor asks or the default, within the cap. */
  cool(provider: string, key: string, retryAfterMs?: number): void {
    const now = this.clock.monotonic()
    for (const [id, until] of this.cooldowns) if (until <= now) this.cooldowns.delete(id)
    const id = idOf(provider, key)
    const until = now + this.clamp(retryAfterMs ?? this.options.cooldownMs)
    // Of two answers to calls in call together, the longer rest counts.
    this.cooldowns.set(id, Math.max(until, this.cooldowns.get(id) ?? 0))
  }

  /** A wait that a vendor asks for, within the cap: some send days. */
  clamp(ms: number): number {
    return Math.min(Math.max(0, ms), this.options.cooldownMaxMs)
  }

  #look({ name, provider }: Link, spent: ReadonlySet<string>): { readonly pick: KeyChoice; readonly index?: number } {
    const keys = this.#keys(name, provider)
    if (!keys) return { pick: { state: 'ready', key: undefined } }
    if (keys.length === 0) return { pick: { state: 'missing' } }
    // Counted, not compared: a provider that mints a new key for every call must come to an end too.
    if (spent.size >= keys.length) return { pick: { state: 'spent' } }
    const now = this.clock.monotonic()
    let recoveryMs: number | undefined
    for (const [index, key] of this.#inTurn(name, keys)) {
      if (spent.has(key.key)) continue
      const restMs = this.#until(name, key.key) - now
      if (restMs <= 0) return { pick: { state: 'ready', key }, index }
      recoveryMs = Math.min(restMs, recoveryMs ?? restMs)
    }
    return { pick: recoveryMs === undefined ? { state: 'spent' } : { state: 'cooling', recoveryMs } }
  }

  /** Until when a key rests. Most of the time none does, and no key has to be hashed to know it. */
  #until(provider: string, key: string): number {
    return this.cooldowns.size === 0 ? 0 : (this.cooldowns.get(idOf(provider, key)) ?? 0)
  }

  /** The keys in the order of the strategy, each with its place in the list. */
  #inTurn(name: string, keys: readonly ProviderKey[]): [number, ProviderKey][] {
    const listed = [...keys.entries()]
    if (this.options.strategy === 'priority') return listed.sort(([, a], [, b]) => rank(a) - rank(b))
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

const idOf = (provider: string, key: string): string => `${provider}:${createHash('sha256').update(key).digest('hex')}`
