import { tracing } from '@opentelemetry/sdk-node'
import type { Clock, HostLog } from 'deflector'

type Exporter = tracing.SpanExporter

/** Most spans that wait for the collector. A span is one to two kilobytes. */
const MOST_WAITING = 8_192
/** With so many, no new trace begins; those under way find room for their spans. */
const MOST_TO_BEGIN = MOST_WAITING / 2
/** Spans of one export: to put them into its message takes one to three milliseconds, and nothing else runs meanwhile. */
const BATCH = 256
const DELAY_MS = 2_000
/** The part of the time of the main thread that exports may take; requests have the rest. */
const SHARE = 1 / 20

export interface SpanQueueOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>
  readonly log: Pick<HostLog, 'degraded' | 'recovered'>
  /** Milliseconds. Longer than the exporter's own limit, so that the exporter reports every failure. */
  readonly timeoutMs: number
}

/**
 * Spans on their way to the collector. Where they come faster than they can be sent, whole traces are left out, so that
 * every trace is complete and requests stay fast.
 */
export class SpanQueue implements tracing.SpanProcessor {
  readonly #batches: tracing.BatchSpanProcessor
  readonly #log: SpanQueueOptions['log']
  #waiting = 0
  #leftOut = 0

  constructor(exporter: Exporter, { clock, log, timeoutMs }: SpanQueueOptions) {
    this.#log = log
    const paced = pace(exporter, clock, sent => this.#sent(sent))
    this.#batches = new tracing.BatchSpanProcessor(paced, {
      maxQueueSize: MOST_WAITING,
      maxExportBatchSize: BATCH,
      scheduledDelayMillis: DELAY_MS,
      exportTimeoutMillis: timeoutMs,
    })
  }

  /** May a trace begin now? One that may not is counted. */
  admits(): boolean {
    if (this.#waiting < MOST_TO_BEGIN) return true
    this.#leftOut++
    this.#log.degraded('spans', 'spans come faster than they can be sent; whole traces are left out, requests go on')
    return false
  }

  onStart(): void {}

  onEnd(span: tracing.ReadableSpan): void {
    // Counted here and sent there: beyond its limit, the library would leave it out uncounted.
    if (this.#waiting >= MOST_WAITING) return
    this.#waiting++
    this.#batches.onEnd(span)
  }

  forceFlush(): Promise<void> {
    return this.#batches.forceFlush()
  }

  shutdown(): Promise<void> {
    return this.#batches.shutdown()
  }

  #sent(spans: number): void {
    this.#waiting -= spans
    if (this.#waiting > 0 || this.#leftOut === 0) return
    this.#log.recovered('spans', 'all spans are sent again', { left_out: this.#leftOut })
    this.#leftOut = 0
  }
}

/** The same exporter, which says that it is ready for more only after a pause: making the message stops everything else. */
function pace(exporter: Exporter, clock: SpanQueueOptions['clock'], sent: (spans: number) => void): Exporter {
  return {
    export(spans, done) {
      const began = clock.monotonic()
      let tookMs = 0
      exporter.export(spans, result => {
        const ready = (): void => {
          sent(spans.length)
          done(result)
        }
        const pauseMs = tookMs / SHARE - (clock.monotonic() - began)
        if (pauseMs > 0) clock.after(pauseMs, ready)
        else ready()
      })
      tookMs = clock.monotonic() - began
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}
