import { defineObserver } from 'deflector'
import { liveRequests } from 'deflector/facets/live-requests'
import { exchangeRecord } from 'deflector/formats/exchange-record'
import { z } from 'zod'
import { Watchers } from './watchers.ts'

const BYTES_PER_TOKEN = 4
const LONGEST_MODEL = 100

/** Tells of each request when it is over, to those who watch. Without anybody it does nothing. */
export default defineObserver({
  name: 'live-requests',
  summary: 'tells of requests as they end, for GET /api/admin/live',
  options: z.strictObject({
    per_second: z.int().positive().max(10_000).default(50).describe('Most requests in a second that are told of.'),
  }),
  apply(host, { per_second }) {
    const { hooks, name, clock, log } = host
    const watchers = host.keep(`live-requests:${name}`, () => new Watchers(clock, per_second))
    host.offer(liveRequests, watchers)
    host.onReady(() => {
      watchers.perSecond = per_second
    })
    const failed = (error: unknown): void =>
      log.degraded('live', 'a live request cannot be told', {
        error: error instanceof Error ? error.message : undefined,
      })
    hooks.finish.tap(name, exchange => {
      if (exchange.kind !== 'chat') return
      const now = clock.now()
      watchers.tell(() => {
        const record = exchangeRecord(exchange, now)
        const { model, provider, client, tool, principal, tags, error, deflected, cost_usd, saved_cost_usd } = record
        const bytes = exchange.opened?.bytes.length ?? 0
        const saved = record.saved_tokens ?? Math.max(1, Math.floor(bytes / BYTES_PER_TOKEN))
        return {
          id: record.request_id,
          time: new Date(now).toISOString(),
          layer: record.final_layer,
          status: record.status,
          ms: record.latency_ms,
          model: model?.slice(0, LONGEST_MODEL) ?? null,
          provider,
          client,
          tool,
          key: principal,
          tags,
          error,
          saved: deflected ? saved : 0,
          cost_usd,
          saved_cost_usd: deflected ? saved_cost_usd : 0,
        }
      }, failed)
    })
  },
})
