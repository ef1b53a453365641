import { type Amounts, type Claim, changeOf, whole } from './limit.ts'
import type { Refusal } from './refusal.ts'
import type { SharedCounters } from './shared-counters.ts'

/** What calls on their way may take, by counter. */
export type Reserved = Map<string, number>

/** What one call may take of its limits, until it is settled. */
export class Reservation {
  #open = true

  /**
   * `passed` resolves once the claims are counted, with the limit that refused them all; it never rejects. `settled` is
   * called once it counts what the call took.
   */
  constructor(
    readonly passed: Promise<Refusal | undefined>,
    readonly claims: readonly Claim[],
    private readonly counters: SharedCounters,
    private readonly reserved: Reserved,
    private readonly settled: () => void,
  ) {
    for (const { key, by } of claims) this.reserved.set(key, (this.reserved.get(key) ?? 0) + by)
    void passed.then(refused => refused && this.#end())
  }

  /** What the call took instead. Of several calls the first counts; one before `passed` waits for it. */
  async settle(actual: Amounts): Promise<void> {
    const refused = await this.passed
    if (refused || !this.#open) return
    this.#end()
    const changes = this.claims.map(claim => {
      const { unit } = claim.limit
      return changeOf({ ...claim, by: whole(unit, actual[unit] ?? 0) - claim.by })
    })
    const changing = this.counters.change(changes.filter(({ by }) => by !== 0))
    // This gateway's own count is changed already, and a store that is slow holds no warning up.
    this.settled()
    await changing
  }

  /** What the call takes is told later, if ever: until then the claims count as they are, also after a restart. */
  async keep(): Promise<void> {
    const refused = await this.passed
    if (refused || !this.#open) return
    this.#end()
    this.settled()
  }

  #end(): void {
    if (!this.#open) return
    this.#open = false
    for (const { key, by } of this.claims) {
      const left = (this.reserved.get(key) ?? 0) - by
      if (left > 0) this.reserved.set(key, left)
      else this.reserved.delete(key)
    }
  }
}
