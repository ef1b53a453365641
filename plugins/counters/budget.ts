import type { Clock, HostLog } from 'deflector'
import {
  type Amounts,
  type Claim,
  changeOf,
  type Limit,
  limitName,
  type PassedLimit,
  shown,
  type Unit,
  whole,
} from './limit.ts'
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
    const passed = changing.then(({ made, counts }) => {
      const over = claims.filter((claim, i) => this.#look(claim, (counts[i] ?? 0) + (made ? 0 : claim.by)))
      return made ? undefined : latest(over.length > 0 ? over : claims)
    })
    const { counters, reserved } = this.state
    return new Reservation(passed, claims, counters, reserved)
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

  /** Is so much taken of a limit that the log warns? */
  isNear({ limit, used, reserved }: WindowStatus): boolean {
    return used + reserved >= limit * (this.options.warnAt ?? 1)
  }

  #counter({ window, unit }: Limit, now: number): { readonly key: string; readonly endsAt: number } {
    const { beganAt, endsAt } = periodAt(window, now)
    return { key: `${this.options.scope}|${unit}|${window}|${new Date(beganAt).toISOString()}`, endsAt }
  }

  /** Would so much pass the limit? The log is told, once for each window and threshold. */
  #look({ key, limit, endsAt }: Claim, count: number): boolean {
    const { holder, refuses, warnAt } = this.options
    const most = whole(limit.unit, limit.limit)
    const isOver = count > most
    const level = isOver ? 'at' : warnAt !== undefined && count >= most * warnAt ? 'near' : undefined
    if (level && this.state.thresholds.crosses(key, level, endsAt)) {
      const facts = { limit: limit.limit, resets_at: new Date(endsAt).toISOString() }
      const what = `the ${limitName(limit)} of ${holder}`
      const far = refuses ? 'is reached; calls that would pass it are refused' : 'is passed; calls go on'
      this.around.log.warn(isOver ? `${what} ${far}` : `${what} is used to ${percent(count / most)}`, facts)
    }
    return isOver
  }
}

export const percent = (ratio: number): string => `${Math.floor(ratio * 100 + 1e-9)} %`

/** Of several passed limits that which ends last: before, no try is of any use. */
const latest = (claims: readonly Claim[]): PassedLimit | undefined =>
  claims.map(({ limit, endsAt }) => ({ ...limit, endsAt })).toSorted((a, b) => b.endsAt - a.endsAt)[0]
