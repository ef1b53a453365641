import { defineObserver } from 'deflector'
import { metricSnapshot } from 'deflector/facets/metrics'
import { traceName } from 'deflector/facets/trace-name'
import { callCount, recordAttempt } from 'deflector/formats/attempt-records'
import { cacheEvents } from 'deflector/formats/cache-lookups'
import { exchangeRecord } from 'deflector/formats/exchange-record'
import { z } from 'zod'
import { GenAiMetrics } from './gen-ai-metrics.ts'
import { HttpMetrics } from './http-metrics.ts'
import { ServiceMetrics } from './service-metrics.ts'

/** Counts requests, times and tokens in memory, for `GET /metrics` and for the telemetry observer. */
export default defineObserver({
  name: 'metrics',
  summary: 'measures requests, layers and vendor calls, for /metrics and OTLP',
  options: z.strictObject({
    enabled: z.boolean().default(false).describe('Measure, for GET /metrics.'),
    exported: z.boolean().default(false).describe('Measure, for the telemetry observer to export.'),
  }),
  apply(host, { enabled, exported }) {
    if (!enabled && !exported) return
    const { hooks, name, clock } = host
    const measured = host.keep(
      `metrics:${name}`,
      () => ({
        since: clock.now(),
        service: new ServiceMetrics(),
        genAi: new GenAiMetrics(),
        http: new HttpMetrics(host.gateway),
      }),
      ({ http }) => http.close(),
    )
    const { since, service, genAi, http } = measured
    host.offer(metricSnapshot, () => ({ since, metrics: [...service.read(), ...http.read(), ...genAi.read()] }))
    let names: ReadonlyMap<string, string> = new Map()
    host.onReady(() => {
      names = new Map(host.offers(traceName, 'layer'))
    })
    hooks.attempted.tap(name, (exchange, attempt, outcome) => {
      recordAttempt(exchange, attempt, outcome)
      genAi.add(attempt, outcome)
    })
    hooks.finish.tap(name, exchange => {
      if (exchange.kind !== 'chat') return
      const record = exchangeRecord(exchange, clock.now())
      service.add({
        record,
        events: cacheEvents(record, names),
        calls: callCount(exchange),
        operation: exchange.opened?.operation ?? 'chat',
        bytes: exchange.opened?.bytes.length ?? 0,
        names,
      })
    })
  },
})
