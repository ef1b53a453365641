import { createRequire } from 'node:module'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import { resources, tracing } from '@opentelemetry/sdk-node'
import type { Attempt, AttemptOutcome, Clock, Exchange, HostLog } from 'deflector'
import type { ServerAttributes } from 'deflector/formats/gen-ai-names'
import { z } from 'zod'
import { LONGEST_VALUE } from './child-span.ts'
import { LoggedExporter } from './logged-exporter.ts'
import { MetricExport, type ReadSnapshots } from './metric-export.ts'
import { RequestSpans } from './request-spans.ts'
import { SpanQueue } from './span-queue.ts'

const { version } = z.object({ version: z.string() }).parse(createRequire(import.meta.url)('deflector/package.json'))

const SCOPE = { name: 'deflector', version }
/** Time limit of an export, in milliseconds. */
const EXPORT_MS = 5_000
/** Time limit for the last spans, at shutdown or when the collector is replaced, in milliseconds. */
const LAST_SPANS_MS = 2_000
export interface TelemetryContext {
  readonly endpoint: string
  /** See `Host.gateway`. */
  readonly gateway: string
  readonly log: HostLog
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
  readonly #queue: SpanQueue
  readonly #resource: resources.Resource
  readonly #provider: tracing.BasicTracerProvider
  readonly #metrics: MetricExport
  #spans: RequestSpans | undefined

  constructor(context: TelemetryContext) {
    const { endpoint, gateway, log, clock } = context
    this.#context = context
    const exporter = new LoggedExporter(new OTLPTraceExporter({ url: endpoint, timeoutMillis: EXPORT_MS }), log)
    const service = { 'service.name': 'service-gateway', 'service.version': version, 'service.instance.id': gateway }
    const resource = resources.defaultResource().merge(resources.resourceFromAttributes(service))
    this.#resource = resource
    this.#metrics = new MetricExport({ endpoint, resource, version, timeoutMs: EXPORT_MS, clock })
    this.#queue = new SpanQueue(exporter, { clock, log, timeoutMs: EXPORT_MS + 1_000 })
    this.#provider = new tracing.BasicTracerProvider({
      resource,
      spanLimits: { attributeValueLengthLimit: LONGEST_VALUE },
      spanProcessors: [this.#queue],
    })
  }

  /** Starts tracing for a generation. */
  watch({ traceNames, servers, snapshots }: Watched): void {
    const { gateway, isCurrent, clock } = this.#context
    this.#metrics.snapshots = snapshots
    this.#spans ??= new RequestSpans({
      tracer: this.#provider.getTracer(SCOPE.name, SCOPE.version),
      source: { queue: this.#queue, resource: this.#resource, instrumentationScope: SCOPE },
      admits: () => this.#queue.admits(),
      ...{ gateway, isCurrent, clock },
    })
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
