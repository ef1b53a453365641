import { defineObserver, type Exchange, Memo } from 'deflector'
import { books } from 'deflector/facets/books'
import { noteAttemptCost } from 'deflector/formats/attempt-records'
import { wasCalled } from 'deflector/formats/call-usage'
import { isCounted } from 'deflector/formats/counted-request'
import { noteLateCost, noteSums } from 'deflector/formats/exchange-record'
import { pricing } from 'deflector/pricing'
import { z } from 'zod'
import { type Accounts, type Ended, eventOf, lateEventOf } from './booked.ts'
import type { UsageEvent } from './event.ts'
import { Ledger } from './ledger.ts'
import { booksOf } from './views.ts'

const rate = z.number().min(0).optional()

/** Tells those who keep records of the vendor calls what each cost. */
function noteCosts(ended: readonly Ended[], { attempts }: UsageEvent): void {
  for (const [at, { outcome }] of ended.entries()) noteAttemptCost(outcome, attempts[at]?.cost ?? null)
}

/** Books what every request cost or saved. */
export default defineObserver({
  name: 'usage',
  summary: 'books tokens and costs of every request in usage.jsonl, and what deflections saved',
  options: z.strictObject({
    path: z.string().describe('Folder of usage.jsonl, its days and their sums.'),
    retention_days: z.int().positive().default(30).describe('Days for which usage is kept.'),
    window_hours: z
      .int()
      .positive()
      .default(24)
      .describe('Window of summaries where nobody asks for another, in hours.'),
    chain: z
      .array(z.string())
      .default([])
      .describe('Provider names in order: deflected requests save what the first one would have cost.'),
    vendors: z.record(z.string(), z.string()).default({}).describe('Vendor of each provider, by instance name.'),
    pricing: z
      .record(
        z.string(),
        z.strictObject({
          input_cost_per_million_usd: rate,
          output_cost_per_million_usd: rate,
          cache_read_cost_per_million_usd: rate,
          cache_write_cost_per_million_usd: rate,
        }),
      )
      .default({})
      .describe('Prices by instance name or vendor, in USD for a million tokens, over those of the built-in list.'),
  }),
  apply(host, { path, retention_days, window_hours, chain, vendors, pricing: prices }) {
    const { name, clock, log, hooks } = host
    const ledger = host.keep(
      `usage:${name}:${path}`,
      () => new Ledger(clock, log, { folder: path, retentionDays: retention_days }),
      ledger => ledger.close(),
    )
    const accounts: Accounts = {
      pricing: pricing(prices),
      vendors,
      chain,
    }
    const attempts = new Memo<Ended[]>()
    const over = new Memo<true>()
    host.onStart(() => ledger.start())
    host.onReady(() => ledger.keepFor(retention_days))
    host.offer(
      books,
      booksOf(
        { sums: ledger.sums, clock, settled: () => ledger.settled() },
        { folder: path, retentionDays: retention_days, windowHours: window_hours },
      ),
    )

    hooks.attempted.tap(name, (exchange, attempt, outcome) => {
      if (!wasCalled(outcome)) return
      if (over.of(exchange)) return bookLate(exchange, { attempt, outcome })
      const ended = attempts.of(exchange)
      if (ended) ended.push({ attempt, outcome })
      else attempts.set(exchange, [{ attempt, outcome }])
    })

    hooks.finish.tap(name, exchange => {
      const ended = attempts.of(exchange) ?? []
      over.set(exchange, true)
      if (!isCounted(exchange)) return
      const at = clock.now()
      ledger.book(() => {
        const event = eventOf(exchange, ended, at, accounts)
        noteCosts(ended, event)
        const { estimated_cost_usd: cost_usd, saved_cost_usd, saved_tokens } = event
        noteSums(exchange, { cost_usd, saved_cost_usd, saved_tokens })
        return event
      })
    })

    function bookLate(exchange: Exchange, ended: Ended): void {
      if (!isCounted(exchange)) return
      const at = clock.now()
      ledger.book(() => {
        const event = lateEventOf(exchange, ended, at, accounts)
        noteCosts([ended], event)
        noteLateCost(exchange, event.estimated_cost_usd)
        return event
      })
    }
  },
})
