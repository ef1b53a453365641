import { createHash } from 'node:crypto'
import type { Clock, Log, ProviderHandle, ProviderKey } from 'deflector'

export interface Cooldown {
  /** By the monotonic clock. */
  readonly until: number
  /** The account is out of credit: the client is told so, and not that a wait helps. */
  readonly outOfCredit: boolean
}

/**
 * Keyed by provider, SHA-256 of the key, so that no secret is held, and
 * model where it is one model's.
 */
export type Cooldowns = Map<string, Cooldown>

export interface KeyPoolOptions {
  /** `round_robin` spreads the load; `priority` takes the best key that is not cooling. */
  readonly strategy: 'round_robin' | 'priority'
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
  ) {}

  /** The key for the next attempt. The attempt must begin in the same turn, or the key may be cooling by then. */
  choose(owner: KeyOwner, spent: ReadonlySet<string> = new Set()): KeyChoice {
    const found = this.#look(owner, spent)
    if (found.index !== undefined) this.#turns.set(owner.name, found.index + 1)
    return found.choice
  }

  /** What `choose` would give, without taking a turn. */
  peek(owner: KeyOwner, spent: ReadonlySet<string> = new Set()): KeyChoice {
    return this.#look(owner, spent).choice
  }

  /**
   * Starts the cooldown of one key: as long as the vendor asks, or the default, within the limit. For `model` alone, or
   * for all.
   */
  cool(provider: string, key: string, retryAfterMs?: number, model?: string, outOfCredit = false): void {
    const now = this.clock.monotonic()
    for (const [id, { until }] of this.cooldowns) if (until <= now) this.cooldowns.delete(id)
    const id = idOf(provider, key, model)
    const until = now + this.clamp(retryAfterMs ?? this.options.cooldownMs)
    // Two calls may fail at the same time: the longer cooldown counts.
    if (until >= (this.cooldowns.get(id)?.until ?? 0)) this.cooldowns.set(id, { until, outOfCredit })
  }

  /** A wait that a vendor asks for, within the limit: some vendors send days. */
  clamp(ms: number): number {
    return Math.min(Math.max(0, ms), this.options.cooldownMaxMs)
  }

  #look(
    { name, provider, model }: KeyOwner,
    spent: ReadonlySet<string>,
  ): { readonly choice: KeyChoice; readonly index?: number } {
    const keys = this.#keys(name, provider)
    if (!keys) return { choice: { state: 'ready', key: undefined } }
    if (keys.length === 0) return { choice: { state: 'missing' } }
    // Counted, not compared: the loop must also end for a provider that makes a new key for every call.
    if (spent.size >= keys.length) return { choice: { state: 'spent' } }
    const now = this.clock.monotonic()
    let recoveryMs: number | undefined
    let outOfCredit = true
    for (const [index, key] of this.#ordered(name, keys)) {
      if (spent.has(key.key)) continue
      const cooldown = this.#cooldown(name, key.key, model)
      const restMs = (cooldown?.until ?? 0) - now
      if (!cooldown || restMs <= 0) return { choice: { state: 'ready', key }, index }
      outOfCredit &&= cooldown.outOfCredit
      recoveryMs = Math.min(restMs, recoveryMs ?? restMs)
    }
    if (recoveryMs === undefined) return { choice: { state: 'spent' } }
    return { choice: { state: 'cooling', recoveryMs, ...(outOfCredit && { outOfCredit }) } }
  }

  /** The cooldown of a key that ends last. Mostly no key cools down; then none has to be hashed. */
  #cooldown(provider: string, key: string, model: string | undefined): Cooldown | undefined {
    if (this.cooldowns.size === 0) return undefined
    const all = this.cooldowns.get(idOf(provider, key))
    const own = model === undefined ? undefined : this.cooldowns.get(idOf(provider, key, model))
    return all && own ? (own.until > all.until ? own : all) : (all ?? own)
  }

  /** The keys in the order of the strategy, each with its place in the list. */
  #ordered(name: string, keys: readonly ProviderKey[]): [number, ProviderKey][] {
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

const idOf = (provider: string, key: string, model?: string): string => {
  const id = `${provider}:${createHash('sha256').update(key).digest('hex')}`
  return model === undefined ? id : `${id}:${model}`
}
