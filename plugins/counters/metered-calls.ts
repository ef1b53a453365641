import type { Attempt, Exchange, LayerHost } from 'deflector'
import { endedWork, noteReserved } from 'deflector/formats/background-work'
import type { Budget } from './budget.ts'
import type { CallMeter, Expected } from './call-meter.ts'
import { keptClaims } from './limit.ts'
import { type Refusal, refusalText } from './refusal.ts'
import type { Reservation } from './reservation.ts'

interface MeteredCalls {
  readonly meter: CallMeter
  /** The budget that pays for a call, if any. */
  budgetOf(exchange: Exchange, attempt: Pick<Attempt, 'provider'>): Budget | undefined
  /** Whose limits they are, in words for the client. */
  holderOf(attempt: Attempt): string
  /** The error that refuses a call; `text` says why. */
  refusal(refused: Refusal, text: string, attempt: Attempt): Error
}

interface Open {
  readonly reservation: Reservation
  readonly expected: Expected
  /** The call may have reached its vendor. */
  passed: boolean
}

/** Reserves before each vendor call and settles after it. */
export function meterCalls({ name, hooks }: LayerHost, { meter, budgetOf, holderOf, refusal }: MeteredCalls): void {
  const calls = new WeakMap<Attempt, Open>()

  hooks.attempt.tapPromise(name, async (exchange, attempt) => {
    const budget = budgetOf(exchange, attempt)
    const expected = budget && (await meter.expected(exchange, attempt))
    if (!budget || !expected) return
    // Its `attempted` was called meanwhile, and nobody would settle it.
    attempt.cancellation.throwIfCancelled()
    const reservation = budget.reserve(expected.amounts)
    const open: Open = { reservation, expected, passed: !budget.refuses }
    calls.set(attempt, open)
    if (exchange.outgoing.state?.goesOn) noteReserved(exchange, name, reservation.claims)
    // What only warns holds nobody up.
    if (!budget.refuses) return
    const refused = await reservation.passed
    if (refused) {
      exchange.note('refused')
      const shrinks = expected.least !== undefined && budget.fits(expected.least)
      throw refusal(refused, refusalText(holderOf(attempt), refused, shrinks), attempt)
    }
    open.passed = true
  })

  hooks.attempted.tap(name, (exchange, attempt, outcome) => {
    const open = calls.get(attempt)
    if (!open) return
    calls.delete(attempt)
    const wasMade = open.passed && outcome.outcome !== 'refused'
    const used = wasMade ? meter.used(exchange, attempt, open.expected, outcome) : {}
    void (used ? open.reservation.settle(used) : open.reservation.keep())
  })

  hooks.finish.tap(name, exchange => {
    const ended = endedWork.of(exchange)
    const { data: claims } = keptClaims.safeParse(ended?.work.reserved[name])
    if (!ended || !claims) return
    void budgetOf(exchange, ended.work)?.settleKept(claims, meter.tookInBackground(exchange, ended))
  })
}
