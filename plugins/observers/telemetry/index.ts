import { defineObserver } from 'deflector'
import { traceName } from 'deflector/facets/trace-name'
import { z } from 'zod'
import type { Telemetry } from './telemetry.ts'

/** Exports a trace of every request. What it loads for that, some 25 MB, is loaded only where it is enabled. */
export default defineObserver({
  name: 'telemetry',
  summary: 'exports a trace of every request over OTLP gRPC',
  options: z.strictObject({
    enabled: z.boolean().default(false).describe('Without it no telemetry library is loaded and nothing is watched.'),
    endpoint: z
      .url({ protocol: /^https?$/ })
      .default('http://localhost:4317')
      .describe('The collector, OTLP over gRPC; `https` is with TLS.'),
  }),
  apply({ name, keep, onStart, onReady, log, clock, gateway, offers }, { enabled, endpoint }) {
    // While a generation drains, two of these are there: calls are traced by the one that serves when they come.
    const duty = keep(`telemetry:${name}`, (): { holder?: Telemetry | undefined } => ({}))
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
        onDuty: () => duty.holder === telemetry,
      })
      kept.telemetry = telemetry
    })
    onReady(() => {
      duty.holder = kept?.telemetry
      duty.holder?.watch(offers(traceName, 'layer'))
    })
  },
})
