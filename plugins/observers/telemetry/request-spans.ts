import type { Channel } from 'node:diagnostics_channel'
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { core } from '@opentelemetry/sdk-node'
import {
  type Attempt,
  type AttemptOutcome,
  type CallTrace,
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
import { answerAttributes, requestAttributes } from './generation-attributes.ts'
import { toolAttributes, toolFailure } from './tool-attributes.ts'

/** A running call, and the exchange that it opened last. */
interface Root {
  readonly span: Span
  /** Parent of the spans of its taps. */
  readonly context: Context
  exchange: Exchange | undefined
  /** Parent of the spans of vendor calls: the layer that was asked last. */
  asking: Context
  attempts: number
}

export interface TraceScope {
  readonly gateway: string
  readonly isCurrent: () => boolean
}

/**
 * A span for each call, and under it one for each tap with a span name. They are matched by the request's id and by the
 * exchange, so that no asynchronous context is needed.
 */
export class RequestSpans {
  traceNames: ReadonlyMap<string, string> = new Map()
  servers: ReadonlyMap<string, ServerAttributes> = new Map()
  readonly #tracer: Tracer
  readonly #scope: TraceScope
  readonly #clients = new core.W3CTraceContextPropagator()
  /** By id of the call, for its exchanges. */
  readonly #calls = new UnderWayByKey<Root>()
  readonly #exchanges = new Memo<Root>()
  readonly #taps = new Memo<Span>()
  readonly #tools = new Memo<Span>()
  readonly #subscriptions: (() => void)[] = []

  constructor(tracer: Tracer, scope: TraceScope) {
    this.#tracer = tracer
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
    if (gateway !== this.#scope.gateway || !this.#scope.isCurrent()) return
    const attributes = callAttributes(route, call)
    const client = this.#parentOf(call.headers)
    const span = this.#tracer.startSpan('gateway_request', { kind: SpanKind.SERVER, attributes }, client)
    const context = trace.setSpan(ROOT_CONTEXT, span)
    this.#calls.set(call.id, { span, context, exchange: undefined, asking: context, attempts: 0 })
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
    const { span, exchange } = root
    this.#calls.delete(call.id)
    // After an error of the route, the response has no status yet.
    const status = call.status ?? (error === undefined ? undefined : isGatewayError(error) ? error.status : 500)
    if (status !== undefined) span.setAttributes({ 'http.status_code': status, 'http.response.status_code': status })
    if (exchange) span.setAttribute('service.final_layer', this.#layerOf(exchange))
    const failure = exchange?.failure
    // Once the head is sent, a failure no longer shows in the status.
    if (status !== undefined && (status >= 500 || (status < 400 && isBroken(failure))))
      fail(span, failure ?? error ?? status)
    span.end()
  }

  #beginTap(tap: TapTrace): void {
    const root = this.#rootOf(tap.exchange)
    if (!root) return
    root.exchange = tap.exchange
    if (tap.span === undefined) return
    const span = this.#tracer.startSpan(tap.span, {}, HOOKS.has(tap.hook) ? root.context : root.asking)
    this.#taps.set(tap, span)
    if (tap.hook !== 'answer') return
    root.asking = trace.setSpan(root.context, span)
    const { traceId, spanId, traceFlags } = span.spanContext()
    tap.exchange.traceparent = `00-${traceId}-${spanId}-0${traceFlags & 1}`
  }

  #endTap(tap: TapTrace): void {
    const span = this.#taps.of(tap)
    if (!span) return
    const { row, error, result } = tap
    span.setAttribute('service.outcome', row.outcome)
    if (row.omitted) span.setAttribute('service.omitted', row.omitted.join(', '))
    if (row.attributes) span.setAttributes(Object.fromEntries(row.attributes))
    if (row.outcome === 'failed') fail(span, error)
    if (!isLive(result)) {
      span.end()
      return
    }
    // A live answer ends with its last byte.
    result.whole.then(
      () => span.end(),
      broken => {
        if (isBroken(broken)) fail(span, broken)
        span.end()
      },
    )
  }

  /** As the conventions for MCP name it. */
  #beginTool(trace: McpTrace): void {
    const root = this.#calls.get(trace.requestId)
    if (!root) return
    const name = trace.tool === undefined ? trace.method : `${trace.method} ${trace.tool}`
    const attributes = toolAttributes(trace)
    this.#tools.set(trace, this.#tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, root.context))
  }

  #endTool(trace: McpTrace): void {
    const span = this.#tools.of(trace)
    const failure = toolFailure(trace)
    if (failure) span?.setStatus({ code: SpanStatusCode.ERROR }).setAttributes(failure)
    span?.end()
  }

  /** A span for each vendor call, with the times that it had. */
  attempted(exchange: Exchange, attempt: Attempt, outcome: AttemptOutcome): void {
    const root = this.#rootOf(exchange)
    if (!root || outcome.outcome === 'refused') return
    root.attempts++
    const endTime = Date.now()
    const startTime = endTime - outcome.ms
    const attributes = {
      ...attemptAttributes(attempt, outcome),
      ...requestAttributes(exchange),
      ...answerAttributes(outcome.answer),
      ...this.servers.get(attempt.provider),
      'service.attempt': root.attempts,
    }
    const span = this.#tracer.startSpan(
      spanName(attempt),
      { kind: SpanKind.CLIENT, startTime, attributes },
      root.asking,
    )
    if (outcome.outcome !== 'answered') span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(endTime)
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
function fail(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', isGatewayError(error) ? error.code : typeof error === 'number' ? `${error}` : 'other')
}

const isLive = (answer: unknown): answer is LiveAnswer =>
  typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'live'
