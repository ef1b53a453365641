import { defineObserver } from 'deflector'
import { metricSnapshot } from 'deflector/facets/metrics'
import { providerEndpoint } from 'deflector/facets/provider-endpoint'
import { traceName } from 'deflector/facets/trace-name'
import { serversOf } from 'deflector/formats/gen-ai-names'
import { z } from 'zod'
import type { Telemetry } from './telemetry.ts'

/** Exports a trace of every request. Its libraries, about 25 MB, are loaded only when it is enabled. */
export default defineObserver({
  name: 'telemetry',
  summary: 'exports a trace of every request, and metrics, over OTLP gRPC',
  options: z.strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe('Export traces and metrics. When off, no telemetry library is loaded.'),
    endpoint: z
      .url({ protocol: /^https?$/ })
      .default('http://localhost:4317')
      .describe('Address of the collector (OTLP over gRPC); `https` uses TLS.'),
  }),
  apply({ name, hooks, keep, onStart, onReady, log, clock, gateway, offers }, { enabled, endpoint }) {
    // Two generations exist while one drains: each call is traced by the generation that serves when it begins.
    const current = keep(`telemetry:${name}`, (): { telemetry?: Telemetry | undefined } => ({}))
    const kept = enabled
      ? keep(
          `telemetry:${name}:${endpoint}`,
          (): { telemetry?: Telemetry } => ({}),
          ({ telemetry }) => telemetry?.close(),
        )
      : undefined
    onStart(async () => {
      if (!kept || kept.telemetry) return
      const { Telemetry } = await import('./telemetry.ts')
      const telemetry: Telemetry = new Telemetry({
        endpoint,
        gateway,
        log,
        clock,
        isCurrent: () => current.telemetry === telemetry,
      })
      kept.telemetry = telemetry
    })
    onReady(() => {
      current.telemetry = kept?.telemetry
      const measured = offers(metricSnapshot)
      current.telemetry?.watch({
        traceNames: offers(traceName, 'layer'),
        servers: serversOf(offers(providerEndpoint, 'provider')),
        snapshots: () => [...measured.values()].map(read => read()),
      })
    })
    if (kept)
      hooks.attempted.tap(name, (exchange, attempt, outcome) => kept.telemetry?.attempted(exchange, attempt, outcome))
  },
})
