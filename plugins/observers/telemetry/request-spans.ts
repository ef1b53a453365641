import type { Channel } from 'node:diagnostics_channel'
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { core } from '@opentelemetry/sdk-node'
import {
  type Attempt,
  type AttemptOutcome,
  type CallTrace,
  type Clock,
  type Exchange,
  type GatewayCode,
  isGatewayError,
  type LiveAnswer,
  Memo,
  type TapTrace,
  traces,
  UnderWayByKey,
} from 'deflector'
import { type McpTrace, mcpCalls } from 'deflector/facets/mcp-traces'
import type { ServerAttributes } from 'deflector/formats/gen-ai-names'
import { LAYER_NAMES } from 'deflector/formats/layer-names'
import { attemptAttributes, spanName } from './attempt-attributes.ts'
import { callAttributes } from './call-attributes.ts'
import { ChildSpan, type ChildSpanOptions, type SpanSource } from './child-span.ts'
import { answerAttributes, requestAttributes } from './generation-attributes.ts'
import { hrTime } from './hr-time.ts'
import { toolAttributes, toolFailure } from './tool-attributes.ts'

/** A running call, and the exchange that it opened last. */
interface Root {
  readonly span: Span
  /** Of its span: the parent of the spans of its taps. */
  readonly context: SpanContext
  /** Milliseconds since 1970. A clock that is set does not bend a trace. */
  readonly now: () => number
  exchange: Exchange | undefined
  /** Parent of the spans of vendor calls: the layer that was asked last. */
  asking: SpanContext
  attempts: number
}

export interface TraceScope {
  /** Its sampler says which calls are traced. */
  readonly tracer: Tracer
  readonly source: SpanSource
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly gateway: string
  readonly isCurrent: () => boolean
  /** May a trace begin now? */
  readonly admits: () => boolean
}

/**
 * A span for each call, and under it one for each tap with a span name. They are matched by the request's id and by the
 * exchange, so that no asynchronous context is needed.
 */
export class RequestSpans {
  traceNames: ReadonlyMap<string, string> = new Map()
  servers: ReadonlyMap<string, ServerAttributes> = new Map()
  readonly #scope: TraceScope
  readonly #clients = new core.W3CTraceContextPropagator()
  /** By id of the call, for its exchanges. */
  readonly #calls = new UnderWayByKey<Root>()
  readonly #exchanges = new Memo<Root>()
  readonly #taps = new Memo<ChildSpan>()
  readonly #tools = new Memo<ChildSpan>()
  readonly #subscriptions: (() => void)[] = []

  constructor(scope: TraceScope) {
    this.#scope = scope
    const { calls, taps } = traces
    this.#on<CallTrace>(calls.start, call => this.#beginCall(call))
    this.#on<CallTrace>(calls.asyncEnd, call => this.#endCall(call))
    this.#on<TapTrace>(taps.start, tap => this.#beginTap(tap))
    this.#on<TapTrace>(taps.asyncEnd, tap => this.#endTap(tap))
    this.#on<McpTrace>(mcpCalls.start, tool => this.#beginTool(tool))
    this.#on<McpTrace>(mcpCalls.asyncEnd, tool => this.#endTool(tool))
  }

  unsubscribe(): void {
    for (const end of this.#subscriptions.splice(0)) end()
  }

  #on<Message>(channel: Channel, listen: (message: Message) => void): void {
    const listener = (message: unknown): void => {
      try {
        listen(message as Message) // the channel says what it is
      } catch {
        // An error thrown from a channel's listener would end the process.
      }
    }
    channel.subscribe(listener)
    this.#subscriptions.push(() => void channel.unsubscribe(listener))
  }

  #beginCall({ gateway, route, call }: CallTrace): void {
    const { isCurrent, admits, tracer, clock } = this.#scope
    if (gateway !== this.#scope.gateway || !isCurrent() || !admits()) return
    const epoch = clock.now() - clock.monotonic()
    const now = (): number => epoch + clock.monotonic()
    const options = { kind: SpanKind.SERVER, attributes: callAttributes(route, call), startTime: hrTime(now()) }
    const span = tracer.startSpan('gateway_request', options, this.#parentOf(call.headers))
    const context = span.spanContext()
    this.#calls.set(call.id, { span, context, now, exchange: undefined, asking: context, attempts: 0 })
  }

  /** The client's span, without its `tracestate`, which is meant for other systems. */
  #parentOf(headers: CallTrace['call']['headers']): Context {
    if (headers.traceparent === undefined) return ROOT_CONTEXT
    const parent = trace.getSpanContext(this.#clients.extract(ROOT_CONTEXT, headers, defaultTextMapGetter))
    if (!parent) return ROOT_CONTEXT
    const { traceId, spanId, traceFlags } = parent
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
  }

  #endCall({ gateway, call, error }: CallTrace): void {
    const root = gateway === this.#scope.gateway ? this.#calls.get(call.id) : undefined
    if (!root) return
    const { span, exchange, now } = root
    this.#calls.delete(call.id)
    // After an error of the route, the response has no status yet.
    const status = call.status ?? (error === undefined ? undefined : isGatewayError(error) ? error.status : 500)
    if (status !== undefined) span.setAttributes({ 'http.status_code': status, 'http.response.status_code': status })
    if (exchange) span.setAttribute('service.final_layer', this.#layerOf(exchange))
    const failure = exchange?.failure
    // Once the head is sent, a failure no longer shows in the status.
    if (status !== undefined && (status >= 500 || (status < 400 && isBroken(failure))))
      span.setStatus({ code: SpanStatusCode.ERROR }).setAttributes(errorAttributes(failure ?? error ?? status))
    span.end(hrTime(now()))
  }

  #beginTap(tap: TapTrace): void {
    const root = this.#rootOf(tap.exchange)
    if (!root) return
    root.exchange = tap.exchange
    if (tap.span === undefined) return
    const span = this.#child(root, { name: tap.span, parent: HOOKS.has(tap.hook) ? root.context : root.asking })
    if (span) this.#taps.set(tap, span)
    if (tap.hook !== 'answer') return
    root.asking = span?.spanContext() ?? root.context
    const { traceId, spanId, traceFlags } = root.asking
    tap.exchange.traceparent = `00-${traceId}-${spanId}-0${traceFlags & 1}`
  }

  #endTap(tap: TapTrace): void {
    const span = this.#taps.of(tap)
    if (!span) return
    const { row, error, result } = tap
    span.set({ 'service.outcome': row.outcome, 'service.omitted': row.omitted?.join(', ') })
    if (row.attributes) span.set(Object.fromEntries(row.attributes))
    if (row.outcome === 'failed') span.fail(errorAttributes(error))
    if (!isLive(result)) {
      span.end()
      return
    }
    // A live answer ends with its last byte.
    result.whole.then(
      () => span.end(),
      broken => {
        if (isBroken(broken)) span.fail(errorAttributes(broken))
        span.end()
      },
    )
  }

  /** As the conventions for MCP name it. */
  #beginTool(trace: McpTrace): void {
    const root = this.#calls.get(trace.requestId)
    if (!root) return
    const name = trace.tool === undefined ? trace.method : `${trace.method} ${trace.tool}`
    const span = this.#child(root, { name, kind: SpanKind.SERVER, parent: root.context })
    if (!span) return
    span.set(toolAttributes(trace))
    this.#tools.set(trace, span)
  }

  #endTool(trace: McpTrace): void {
    const span = this.#tools.of(trace)
    const failure = toolFailure(trace)
    if (failure) span?.fail(failure)
    span?.end()
  }

  /** A span for each vendor call, with the times that it had. */
  attempted(exchange: Exchange, attempt: Attempt, outcome: AttemptOutcome): void {
    const root = this.#rootOf(exchange)
    if (!root || outcome.outcome === 'refused') return
    root.attempts++
    const start = root.now() - outcome.ms
    const span = this.#child(root, { name: spanName(attempt), kind: SpanKind.CLIENT, parent: root.asking, start })
    if (!span) return
    span.set(attemptAttributes(attempt, outcome))
    span.set(requestAttributes(exchange))
    span.set(answerAttributes(outcome.answer))
    span.set({ ...this.servers.get(attempt.provider), 'service.attempt': root.attempts })
    if (outcome.outcome !== 'answered') span.fail()
    span.end()
  }

  /** None where the call was not sampled. */
  #child({ context, now }: Root, options: Omit<ChildSpanOptions, 'now'>): ChildSpan | undefined {
    const isSampled = (context.traceFlags & TraceFlags.SAMPLED) !== 0
    return isSampled ? new ChildSpan(this.#scope.source, { ...options, now }) : undefined
  }

  #layerOf({ decidedBy = '', layer }: Exchange): string {
    return this.traceNames.get(decidedBy) ?? LAYER_NAMES[layer] ?? layer
  }

  #rootOf(exchange: Exchange): Root | undefined {
    const known = this.#exchanges.of(exchange)
    if (known) return known
    const root = this.#calls.get(exchange.id)
    if (root) this.#exchanges.set(exchange, root) // `settle` may run after the call is over
    return root
  }
}

/** Taps of these are under the call; what a layer traces besides is a part of the layer. */
const HOOKS: ReadonlySet<string> = new Set(['receive', 'answer', 'recover', 'settle'])

/** Not a failure of the layer: the client left, or the answer was served but could not be stored. */
const HARMLESS = new Set<GatewayCode>(['unanswered', 'client_left'])

const isBroken = (error: unknown): boolean =>
  error !== undefined && !(isGatewayError(error) && HARMLESS.has(error.code))

/** Codes only: a message may quote what the client or a vendor wrote. */
const errorAttributes = (error: unknown): Attributes => ({
  'error.type': isGatewayError(error) ? error.code : typeof error === 'number' ? `${error}` : 'other',
})

const isLive = (answer: unknown): answer is LiveAnswer =>
  typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'live'
