import { defineObserver } from 'deflector'
import { metricSnapshot } from 'deflector/facets/metrics'
import { providerEndpoint } from 'deflector/facets/provider-endpoint'
import { traceName } from 'deflector/facets/trace-name'
import { callCount, recordAttempt } from 'deflector/formats/attempt-records'
import { cacheEvents } from 'deflector/formats/cache-lookups'
import { exchangeRecord } from 'deflector/formats/exchange-record'
import { type ServerAttributes, serversOf } from 'deflector/formats/gen-ai-names'
import { z } from 'zod'
import { GenAiMetrics } from './gen-ai-metrics.ts'
import { HttpMetrics } from './http-metrics.ts'
import { McpMetrics } from './mcp-metrics.ts'
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
        mcp: new McpMetrics(host.gateway),
      }),
      ({ http, mcp }) => {
        http.close()
        mcp.close()
      },
    )
    const { since, service, genAi, http, mcp } = measured
    const families = [service, http, genAi, mcp]
    host.offer(metricSnapshot, () => ({ since, metrics: families.flatMap(family => family.read()) }))
    let names: ReadonlyMap<string, string> = new Map()
    let servers: ReadonlyMap<string, ServerAttributes> = new Map()
    host.onReady(() => {
      names = new Map(host.offers(traceName, 'layer'))
      servers = serversOf(host.offers(providerEndpoint, 'provider'))
    })
    hooks.attempted.tap(name, (exchange, attempt, outcome) => {
      recordAttempt(exchange, attempt, outcome)
      genAi.add(attempt, outcome, servers.get(attempt.provider))
    })
    hooks.finish.tap(name, exchange => {
      if (exchange.kind !== 'chat') return
      const record = exchangeRecord(exchange, clock.now())
      const operation = exchange.opened?.operation ?? 'chat'
      genAi.request(operation, record)
      service.add({
        record,
        events: cacheEvents(record, names),
        calls: callCount(exchange),
        operation,
        bytes: exchange.opened?.bytes.length ?? 0,
        names,
      })
    })
  },
})
