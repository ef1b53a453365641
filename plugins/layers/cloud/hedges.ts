import { type Answer, Cancellation, CHAT, type Clock } from 'deflector'
import type { ChainCall } from './attempts.ts'
import type { Candidate } from './candidate.ts'

export interface HedgeOptions {
  /** How long the first provider may say nothing before a second one is asked as well; 0 is never. */
  readonly afterMs: number
  /** Largest share of calls for which that happens, 0 to 1. */
  readonly budget: number
}

/** Calls whose share may be saved up for a time in which many are slow. */
const SAVED = 10

/** Why a call is given up: another provider that was asked for the same has answered before. */
export class Outrun extends Error {
  readonly reason = 'outrun'

  constructor(
    readonly stream: boolean,
    readonly afterMs: number,
  ) {
    super('another provider answered first')
  }
}

/** One call, as two providers are asked for it. Each way has a cancellation of its own. */
export interface Race {
  readonly cancellation: Cancellation
  readonly stream: boolean
  /** Is there anybody to be asked beside the first? */
  mayAsk(): boolean
  /** Asks the first provider. `isHedged` says whether others are being asked by now. */
  first(cancellation: Cancellation, isHedged: () => boolean): Promise<Answer | undefined>
  /** Asks the others: as a hedge, or because the first gave no answer. */
  others(cancellation: Cancellation, isHedge: boolean): Promise<Answer | undefined>
}

/** Asks a second provider while the first is slow. Who speaks first wins, and the other is cancelled. */
export class Hedges {
  /** Hedges that are paid for: each call adds its share, each hedge takes one. */
  #credit = 0

  constructor(
    private readonly clock: Clock,
    private readonly options: HedgeOptions,
  ) {}

  /** May this call be hedged? A choice of the client's is not second-guessed, and state belongs to one vendor. */
  isFor([first, second]: readonly Candidate[], { prompt, exchange, resumes }: ChainCall): boolean {
    if (this.options.afterMs === 0 || resumes === true) return false
    this.#credit = Math.min(SAVED, this.#credit + this.options.budget)
    const isStateless = prompt.state === undefined && exchange.prompt.state === undefined
    return first !== undefined && second !== undefined && !first.chosen && prompt.operation === CHAT && isStateless
  }

  /** The first answer; `undefined` where nobody has one. Throws what the first threw, or at the end what a hedge threw. */
  race(race: Race): Promise<Answer | undefined> {
    const { cancellation } = race
    const began = this.clock.monotonic()
    return new Promise((resolve, reject) => {
      const own = Cancellation.following(cancellation)
      let hedge: Cancellation | undefined
      let running = 1
      let won = false
      let refusal: { readonly error: unknown } | undefined
      const wins = (answer: Answer, loser: Cancellation | undefined): void => {
        // Two may answer in one turn; the second of them has been cancelled.
        if (won) return
        won = true
        forget()
        loser?.cancel(new Outrun(race.stream, this.clock.monotonic() - began))
        resolve(answer)
      }
      const over = (): void => {
        running--
        if (running > 0) return
        if (refusal) reject(refusal.error)
        else resolve(undefined)
      }
      const forget = this.clock.after(this.options.afterMs, () => {
        if (cancellation.cancelled || !race.mayAsk() || !this.#spend()) return
        hedge = Cancellation.following(cancellation)
        running++
        race.others(hedge, true).then(
          answer => (answer ? wins(answer, own) : over()),
          error => {
            // Without the hedge the first would have been waited for.
            refusal = { error }
            over()
          },
        )
      })
      race
        .first(own, () => hedge !== undefined)
        .then(
          answer => {
            if (answer) wins(answer, hedge)
            else if (hedge) over()
            else {
              forget()
              race.others(cancellation, false).then(resolve, reject)
            }
          },
          error => {
            if (won) return
            forget()
            hedge?.cancel(error)
            reject(error)
          },
        )
    })
  }

  #spend(): boolean {
    // The shares are sums of fractions.
    if (this.#credit < 1 - 1e-9) return false
    this.#credit--
    return true
  }
}
