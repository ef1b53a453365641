import {
  type Attributes,
  type HrTime,
  type SpanContext,
  SpanKind,
  type SpanStatus,
  SpanStatusCode,
} from '@opentelemetry/api'
import { tracing } from '@opentelemetry/sdk-node'
import { hrTime } from './hr-time.ts'

/** Longer values are cut: the client chooses the model's name. */
export const LONGEST_VALUE = 256

type ReadableSpan = tracing.ReadableSpan

/** What the spans of one exporter have in common. */
export type SpanSource = Pick<ReadableSpan, 'resource' | 'instrumentationScope'> & {
  readonly queue: { onEnd(span: ReadableSpan): void }
}

export interface ChildSpanOptions {
  readonly name: string
  readonly kind?: SpanKind
  readonly parent: SpanContext
  /** Milliseconds since 1970, by the clock of the trace. */
  readonly now: () => number
  /** Default: now. */
  readonly start?: number
}

const ids = new tracing.RandomIdGenerator()
const UNSET: SpanStatus = { code: SpanStatusCode.UNSET }
const ERROR: SpanStatus = { code: SpanStatusCode.ERROR }
const NONE: never[] = []

/**
 * A span below the one of its call, as exporters read it. A span of the library has a clock, links, events and limits of
 * its own, and a request has up to eight of them: those cost more than all else that tracing does.
 */
export class ChildSpan implements ReadableSpan {
  readonly name: string
  readonly kind: SpanKind
  readonly parentSpanContext: SpanContext
  readonly startTime: HrTime
  endTime: HrTime
  status = UNSET
  ended = false
  readonly attributes: Attributes = {}
  readonly #context: SpanContext
  readonly #source: SpanSource
  readonly #now: () => number

  constructor(source: SpanSource, { name, kind = SpanKind.INTERNAL, parent, now, start = now() }: ChildSpanOptions) {
    const { traceId, traceFlags } = parent
    this.name = name
    this.kind = kind
    this.parentSpanContext = parent
    this.startTime = hrTime(start)
    this.endTime = this.startTime
    this.#context = { traceId, traceFlags, spanId: ids.generateSpanId() }
    this.#source = source
    this.#now = now
  }

  get links(): ReadableSpan['links'] {
    return NONE
  }

  get events(): ReadableSpan['events'] {
    return NONE
  }

  get droppedAttributesCount(): number {
    return 0
  }

  get droppedEventsCount(): number {
    return 0
  }

  get droppedLinksCount(): number {
    return 0
  }

  get resource(): ReadableSpan['resource'] {
    return this.#source.resource
  }

  get instrumentationScope(): ReadableSpan['instrumentationScope'] {
    return this.#source.instrumentationScope
  }

  get duration(): HrTime {
    const [seconds, nanos] = this.endTime
    const [startSeconds, startNanos] = this.startTime
    const late = nanos < startNanos ? 1 : 0
    return [seconds - startSeconds - late, nanos - startNanos + late * 1_000_000_000]
  }

  spanContext(): SpanContext {
    return this.#context
  }

  /** What is undefined stays away. */
  set(attributes: Attributes): void {
    for (const name in attributes) {
      const value = attributes[name]
      if (value === undefined) continue
      this.attributes[name] =
        typeof value === 'string' && value.length > LONGEST_VALUE ? value.slice(0, LONGEST_VALUE) : value
    }
  }

  fail(attributes: Attributes = {}): void {
    this.status = ERROR
    this.set(attributes)
  }

  end(): void {
    this.endTime = hrTime(this.#now())
    this.ended = true
    this.#source.queue.onEnd(this)
  }
}
