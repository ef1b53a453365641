import type { Clock, HostLog } from 'deflector'
import { type Amounts, type Claim, changeOf, type Limit, limitName, shown, type Unit, whole } from './limit.ts'
import type { Refusal } from './refusal.ts'
import { Reservation, type Reserved } from './reservation.ts'
import type { SharedCounters } from './shared-counters.ts'
import type { Thresholds } from './thresholds.ts'
import { periodAt } from './windows.ts'

export interface BudgetOptions {
  /** Names its counters: `provider:openai`. Budgets of one scope share them. */
  readonly scope: string
  /** For people: `openai`, `the key "team-a"`. */
  readonly holder: string
  readonly limits: readonly Limit[]
  /** Is what would pass a limit refused? Otherwise the log says so, and it counts all the same. */
  readonly refuses: boolean
  /** Share of a limit from which on the log warns. Default: it warns at the limit alone. */
  readonly warnAt?: number
}

/** One limit and what is taken of it, in its unit. */
export interface WindowStatus extends Limit {
  /** What was settled. */
  readonly used: number
  /** What calls on their way may take. */
  readonly reserved: number
  /** ISO 8601. */
  readonly resets_at: string
}

/** What the budgets of a gateway have in common. It outlives a reload. */
export interface BudgetState {
  readonly counters: SharedCounters
  readonly thresholds: Thresholds
  readonly reserved: Reserved
}

/** Limits of one holder. A call reserves what it may take before it is made, and settles what it took. */
export class Budget {
  constructor(
    private readonly options: BudgetOptions,
    private readonly state: BudgetState,
    private readonly around: { readonly clock: Clock; readonly log: HostLog },
  ) {}

  get holder(): string {
    return this.options.holder
  }

  get refuses(): boolean {
    return this.options.refuses
  }

  /** Has it limits of this unit? */
  limits(unit: Unit): boolean {
    return this.options.limits.some(limit => limit.unit === unit)
  }

  /** Counts at once. Whether a limit refuses it, the reservation says, which also settles it. */
  reserve(amounts: Amounts): Reservation {
    const now = this.around.clock.now()
    const claims = this.options.limits.flatMap((limit): Claim[] => {
      const amount = amounts[limit.unit]
      return amount === undefined ? [] : [{ ...this.#counter(limit, now), limit, by: whole(limit.unit, amount) }]
    })
    const changes = claims.map(claim => ({
      ...changeOf(claim),
      ...(this.options.refuses && { limit: whole(claim.limit.unit, claim.limit.limit) }),
    }))
    const changing = this.state.counters.change(changes)
    const passed = changing.then(({ made, counts }) => (made ? undefined : this.#refuse(claims, counts)))
    const { counters, reserved } = this.state
    return new Reservation(passed, claims, counters, reserved, () => {
      for (const claim of claims) this.#warn(claim)
    })
  }

  /** Counts what a call took in place of the claims that were kept for it. Windows that are over stay as they are. */
  settleKept(claims: readonly Claim[], actual: Amounts): Promise<unknown> {
    const now = this.around.clock.now()
    const open = claims.filter(({ endsAt }) => endsAt > now)
    const changes = open.map(claim => {
      const { unit } = claim.limit
      return changeOf({ ...claim, by: whole(unit, actual[unit] ?? 0) - claim.by })
    })
    const changing = this.state.counters.change(changes.filter(({ by }) => by !== 0))
    for (const claim of open) this.#warn(claim)
    return changing
  }

  /** Would so much pass no limit now? */
  fits(amounts: Amounts): boolean {
    const now = this.around.clock.now()
    return this.options.limits.every(limit => {
      const { unit } = limit
      const count = this.state.counters.count(this.#counter(limit, now).key)
      return count + whole(unit, amounts[unit] ?? 0) <= whole(unit, limit.limit)
    })
  }

  /** Learns from the store what other gateways have counted. */
  async refresh(): Promise<void> {
    const now = this.around.clock.now()
    await this.state.counters.refresh(this.options.limits.map(limit => this.#counter(limit, now)))
  }

  /** Every limit, as far as this gateway knows. */
  windows(): WindowStatus[] {
    const now = this.around.clock.now()
    const { counters, reserved } = this.state
    return this.options.limits.map(limit => {
      const { key, endsAt } = this.#counter(limit, now)
      const open = reserved.get(key) ?? 0
      const used = shown(limit.unit, Math.max(0, counters.count(key) - open))
      return { ...limit, used, reserved: shown(limit.unit, open), resets_at: new Date(endsAt).toISOString() }
    })
  }

  /** Is the store of other gateways out of reach, so that what they use is not known? */
  get isStale(): boolean {
    return this.state.counters.isStale
  }

  /** Is so much used of a limit that the log warns? What is only reserved may be given back. */
  isNear({ limit, used }: WindowStatus): boolean {
    return used >= limit * (this.options.warnAt ?? 1)
  }

  #counter({ window, unit }: Limit, now: number): { readonly key: string; readonly endsAt: number } {
    const { beganAt, endsAt } = periodAt(window, now)
    return { key: `${this.options.scope}|${unit}|${window}|${new Date(beganAt).toISOString()}`, endsAt }
  }

  /** The limit that stands against these claims; the log is told once a window that it refuses calls. */
  #refuse(claims: readonly Claim[], counts: readonly number[]): Refusal | undefined {
    const refusals = claims.map(
      (claim, i): { readonly isOver: boolean; readonly key: string; readonly it: Refusal } => {
        const { limit, key, by, endsAt } = claim
        const { unit } = limit
        const count = counts[i] ?? 0
        const open = Math.max(0, (this.state.reserved.get(key) ?? 0) - by)
        const it = {
          ...limit,
          endsAt,
          used: shown(unit, Math.max(0, count - open)),
          reserved: shown(unit, open),
          asked: shown(unit, by),
          neverFits: by > whole(unit, limit.limit),
        }
        return { isOver: count + by > whole(unit, limit.limit), key, it }
      },
    )
    const over = refusals.some(({ isOver }) => isOver) ? refusals.filter(({ isOver }) => isOver) : refusals
    for (const { key, it } of over) {
      if (!this.state.thresholds.crosses(`refusals|${key}`, 'at', it.endsAt)) continue
      const { limit, used, reserved, endsAt } = it
      const facts = { limit, used, reserved, resets_at: new Date(endsAt).toISOString() }
      this.around.log.warn(`the ${limitName(it)} of ${this.options.holder} refuses calls that could pass it`, facts)
    }
    // That which ends last, or never: before, no try is of any use.
    const all = over.map(({ it }) => it)
    return all.find(({ neverFits }) => neverFits) ?? all.toSorted((a, b) => b.endsAt - a.endsAt)[0]
  }

  /** Warns once for each window and threshold that what is used has come to. */
  #warn({ key, limit, endsAt }: Claim): void {
    const { holder, refuses, warnAt } = this.options
    const { counters, reserved, thresholds } = this.state
    const most = whole(limit.unit, limit.limit)
    const used = counters.count(key) - (reserved.get(key) ?? 0)
    const isPassed = used > most
    const level = isPassed ? 'at' : warnAt !== undefined && used >= most * warnAt ? 'near' : undefined
    if (!level || !thresholds.crosses(key, level, endsAt)) return
    const facts = { limit: limit.limit, used: shown(limit.unit, used), resets_at: new Date(endsAt).toISOString() }
    const what = `the ${limitName(limit)} of ${holder}`
    const far = isPassed
      ? `passed; ${refuses ? 'calls are refused' : 'calls go on'}`
      : `used to ${percent(used / most)}`
    this.around.log.warn(`${what} is ${far}`, facts)
  }
}

export const percent = (ratio: number): string => `${Math.floor(ratio * 100 + 1e-9)} %`
