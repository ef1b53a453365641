import { createRequire } from 'node:module'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import { resources, tracing } from '@opentelemetry/sdk-node'
import type { Attempt, AttemptOutcome, Clock, Exchange, Log } from 'deflector'
import type { ServerAttributes } from 'deflector/formats/gen-ai-names'
import { z } from 'zod'
import { LoggedExporter } from './logged-exporter.ts'
import { MetricExport, type ReadSnapshots } from './metric-export.ts'
import { RequestSpans } from './request-spans.ts'

const { version } = z.object({ version: z.string() }).parse(createRequire(import.meta.url)('deflector/package.json'))

/** Time limit of an export, in milliseconds. */
const EXPORT_MS = 5_000
/** Time limit for the last spans, at shutdown or when the collector is replaced, in milliseconds. */
const LAST_SPANS_MS = 2_000
/** Most spans queued; while the collector is unreachable, further ones are dropped. A span is one to two kilobytes. */
const MAX_QUEUED = 8_192
const BATCH = { maxQueueSize: MAX_QUEUED, maxExportBatchSize: 512, scheduledDelayMillis: 2_000 }
/** Longer values are cut: the client chooses the model's name. */
const LONGEST_VALUE = 256

export interface TelemetryContext {
  readonly endpoint: string
  /** See `Host.gateway`. */
  readonly gateway: string
  readonly log: Log
  readonly clock: Clock
  /** Does this instance trace the calls that begin now? */
  readonly isCurrent: () => boolean
}

/** What serves now. */
export interface Watched {
  /** Names of layers in traces, by instance name. */
  readonly traceNames: ReadonlyMap<string, string>
  /** Where the calls of providers go, by instance name. */
  readonly servers: ReadonlyMap<string, ServerAttributes>
  readonly snapshots: ReadSnapshots
}

/** Exports spans to one collector. Nothing here is global, so that gateways in one process can differ. */
export class Telemetry {
  readonly #context: TelemetryContext
  readonly #provider: tracing.BasicTracerProvider
  readonly #metrics: MetricExport
  #spans: RequestSpans | undefined

  constructor(context: TelemetryContext) {
    const { endpoint, gateway, log, clock } = context
    this.#context = context
    const exporter = new LoggedExporter(new OTLPTraceExporter({ url: endpoint, timeoutMillis: EXPORT_MS }), log)
    const service = { 'service.name': 'service-gateway', 'service.version': version, 'service.instance.id': gateway }
    const resource = resources.defaultResource().merge(resources.resourceFromAttributes(service))
    this.#metrics = new MetricExport({ endpoint, resource, version, timeoutMs: EXPORT_MS, clock })
    this.#provider = new tracing.BasicTracerProvider({
      resource,
      spanLimits: { attributeValueLengthLimit: LONGEST_VALUE },
      spanProcessors: [
        // Its limit is longer than the exporter's, so that the exporter reports every failure.
        new tracing.BatchSpanProcessor(exporter, { ...BATCH, exportTimeoutMillis: EXPORT_MS + 1_000 }),
      ],
    })
  }

  /** Starts tracing for a generation. */
  watch({ traceNames, servers, snapshots }: Watched): void {
    const { gateway, isCurrent } = this.#context
    this.#metrics.snapshots = snapshots
    this.#spans ??= new RequestSpans(this.#provider.getTracer('deflector', version), { gateway, isCurrent })
    this.#spans.traceNames = traceNames
    this.#spans.servers = servers
  }

  /** A vendor call of a traced request is over. */
  attempted(exchange: Exchange, attempt: Attempt, outcome: AttemptOutcome): void {
    this.#spans?.attempted(exchange, attempt, outcome)
  }

  /** Sends the queued spans and the last metrics within `LAST_SPANS_MS`. A failure is ignored, because nothing could be done about it. */
  async close(): Promise<void> {
    this.#spans?.unsubscribe()
    let stop = (): void => {}
    const late = new Promise<void>(resolve => {
      stop = this.#context.clock.after(LAST_SPANS_MS, resolve)
    })
    const last = [this.#provider.shutdown(), this.#metrics.shutdown()].map(sent => sent.catch(() => {}))
    await Promise.race([Promise.all(last), late])
    stop()
  }
}
