import { createRequire } from 'node:module'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import { resources, tracing } from '@opentelemetry/sdk-node'
import type { Clock, Log } from 'deflector'
import { z } from 'zod'
import { ForgivingExporter } from './forgiving-exporter.ts'
import { RequestSpans } from './request-spans.ts'

const { version } = z.object({ version: z.string() }).parse(createRequire(import.meta.url)('deflector/package.json'))

/** How long an export may take, in milliseconds. */
const EXPORT_MS = 5_000
/** How long the last spans may take when this gateway goes down, or goes on without this collector. */
const LAST_SPANS_MS = 2_000
/** Spans that wait at most; with a collector that is away, the rest is dropped. A span is one to two kilobytes. */
const MOST_WAITING = 8_192
const BATCH = { maxQueueSize: MOST_WAITING, maxExportBatchSize: 512, scheduledDelayMillis: 2_000 }
/** Longer values are cut: a model's name is whatever the client wrote. */
const LONGEST_VALUE = 256

export interface TelemetryFacts {
  readonly endpoint: string
  /** See `Host.gateway`. */
  readonly gateway: string
  readonly log: Log
  readonly clock: Clock
  /** Are calls that come now this one's to trace? */
  readonly onDuty: () => boolean
}

/** The way from what happens inside to one collector. Nothing of it is global: another gateway may have its own. */
export class Telemetry {
  readonly #facts: TelemetryFacts
  readonly #provider: tracing.BasicTracerProvider
  #spans: RequestSpans | undefined

  constructor(facts: TelemetryFacts) {
    const { endpoint, gateway, log } = facts
    this.#facts = facts
    const exporter = new ForgivingExporter(new OTLPTraceExporter({ url: endpoint, timeoutMillis: EXPORT_MS }), log)
    const service = { 'service.name': 'service-gateway', 'service.version': version, 'service.instance.id': gateway }
    this.#provider = new tracing.BasicTracerProvider({
      resource: resources.defaultResource().merge(resources.resourceFromAttributes(service)),
      spanLimits: { attributeValueLengthLimit: LONGEST_VALUE },
      spanProcessors: [
        // It gives up after the exporter does, so that every failure is the exporter's to tell.
        new tracing.BatchSpanProcessor(exporter, { ...BATCH, exportTimeoutMillis: EXPORT_MS + 1_000 }),
      ],
    })
  }

  /** From now on calls are traced. `traceNames` are those of the layers that serve, by instance name. */
  watch(traceNames: ReadonlyMap<string, string>): void {
    const { gateway, onDuty } = this.#facts
    this.#spans ??= new RequestSpans(this.#provider.getTracer('deflector', version), { gateway, onDuty })
    this.#spans.traceNames = traceNames
  }

  /** Sends what is there, for a while. Whether it arrived is nothing that could be acted on. */
  async close(): Promise<void> {
    this.#spans?.unsubscribe()
    let stop = (): void => {}
    const late = new Promise<void>(resolve => {
      stop = this.#facts.clock.after(LAST_SPANS_MS, resolve)
    })
    await Promise.race([this.#provider.shutdown().catch(() => {}), late])
    stop()
  }
}
