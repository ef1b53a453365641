import { defineObserver, type ExchangeKind } from 'deflector'
import { requestHistory } from 'deflector/facets/request-history'
import { recordAttempt } from 'deflector/formats/attempt-records'
import { exchangeRecord } from 'deflector/formats/exchange-record'
import { z } from 'zod'
import { KeptRecords } from './kept-records.ts'

/** Not the operator's own calls, which would push out what they look for. */
const KINDS: ReadonlySet<ExchangeKind> = new Set(['chat', 'lookup', 'put'])

/** Keeps the way of the last requests in memory: layers, times, outcomes and vendor calls, without prompts and answers. */
export default defineObserver({
  name: 'request-trails',
  summary: 'keeps the way of the last requests in memory, for `deflector explain` and the admin endpoints',
  options: z.strictObject({
    requests: z.int().positive().max(100_000).default(1_000).describe('Requests that are kept.'),
    max_bytes: z
      .int()
      .positive()
      .default(4 << 20)
      .describe('About how many bytes they may take together; the oldest go first.'),
  }),
  apply(host, { requests, max_bytes }) {
    const limits = { records: requests, bytes: max_bytes }
    const kept = host.keep(`request-trails:${host.name}`, () => new KeptRecords(limits))
    host.offer(requestHistory, kept)
    host.onReady(() => {
      kept.limits = limits
    })
    host.hooks.attempted.tap(host.name, recordAttempt)
    host.hooks.finish.tap(host.name, exchange => {
      if (KINDS.has(exchange.kind)) kept.add(exchangeRecord(exchange, host.clock.now()))
    })
  },
})
