import type { Cancellation } from './cancellation.ts'
import type { AnswerEvent, Chat, Completion, JsonObject } from './chat.ts'
import type { GatewayError } from './errors.ts'
import type { Format } from './format.ts'

/**
 * What a client asked. It never changes: what a layer shrinks or rewrites is `Exchange.outgoing`, so a cache key is
 * the same on the way in and on the way out.
 */
export interface Prompt {
  /** The dialect of `bytes` and `body`. */
  readonly format: Format
  /** The body as it came, decompressed. Providers of the same format forward exactly these bytes. */
  readonly bytes: Uint8Array
  /** `bytes`, parsed. */
  readonly body: JsonObject
  /** The model as the client wrote it, before aliases. */
  readonly model: string | undefined
  readonly stream: boolean
  /** A session id found in the body. */
  readonly session: string | number | undefined
  /** The canonical conversation, decoded on first use. */
  readonly chat: Chat
}

/** One server-sent event of a live answer: what it means, and its text as the vendor sent it. */
export interface Frame {
  readonly events: readonly AnswerEvent[]
  /** The whole event in the vendor's own format, with its closing blank line. */
  readonly wire: string
}

/** The bytes of an answer in one format. */
export interface Wire {
  readonly format: string
  readonly bytes: Uint8Array
}

export interface AnswerFacts {
  /** Instance name of the provider, set by whoever called it. */
  readonly provider?: string | undefined
  /** Vendor headers that may reach the client: request ids, rate limits. Lower-case names. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Seconds since the answer was stored, on an answer served past its time to live. */
  readonly staleSecs?: number | undefined
  /** Until when a cache may serve it, milliseconds since 1970: who copies it from there may serve it no longer. */
  readonly freshUntil?: number | undefined
  /** This answer belongs to another exchange that asked the same; it is not written back again. */
  readonly joined?: boolean | undefined
}

/** An answer that is all there. */
export interface WholeAnswer extends AnswerFacts {
  readonly kind: 'whole'
  /** The canonical answer, decoded on first use. */
  readonly completion: Completion
  /** The original bytes, when somebody spoke them. */
  readonly wire?: Wire | undefined
}

/** An answer that is still being written. */
export interface LiveAnswer extends AnswerFacts {
  readonly kind: 'live'
  /** Format of the frames' `wire`. */
  readonly format: string
  /**
   * The frames from the first one on. Everybody who calls it gets all of them; the fastest reader sets the pace.
   * Ends normally only after the protocol's terminal event, else throws a `GatewayError`.
   */
  frames(): AsyncIterable<Frame>
  /** False once the first frames were let go because the answer is large: nobody can begin to read it any more. */
  readonly joinable: boolean
  /** The assembled answer. Rejects when the stream broke or everybody left; `settle` awaits it. */
  readonly whole: Promise<WholeAnswer>
}

export type Answer = WholeAnswer | LiveAnswer

/** Where L0.5 sends a request. */
export interface RouteChoice {
  /** Instance name of the preferred provider; prefixes the cache key. */
  readonly provider?: string
  /** Model to ask for instead of the client's. */
  readonly model?: string
  /** The request may be answered here but must not leave the machine. The text names the rule. */
  readonly localRule?: string
}

/** One tap's part in an exchange. */
export interface TrailRow {
  readonly hook: string
  readonly tap: string
  /** Milliseconds. */
  ms: number
  /**
   * `answered`, `passed`, `failed`, or a reason the tap gave with `exchange.note`. A layer that keeps an answer notes
   * `stored`: who brought the answer is told.
   */
  outcome: string
  /** Of the tap's span, while somebody traces. */
  readonly attributes?: Attributes | undefined
}

/** What a span says of the work it stands for. Never prompt text, never a key or another secret. */
export type Attributes = Map<string, string | number | boolean>

/** One request on its way through a flow. */
export interface Exchange {
  /** Sent as `x-service-request-id`. */
  readonly id: string
  readonly flow: string
  /** Instance name of the surface. */
  readonly surface: string
  /** Cache namespace: one surface never reads another's answers. Set by the surface; `receive` may move the request. */
  namespace: string
  /** Incoming headers, lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Cancelled when the client leaves; its signal is `signal`, which costs more. */
  readonly cancellation: Cancellation
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  readonly startedAt: number

  /**
   * Reads and checks the body, once. `undefined` for a call without a prompt (a model list).
   * Only `receive` needs it: a tap there that reads headers alone runs before the body is in.
   */
  read(): Promise<Prompt | undefined>
  /** The prompt, after `receive`. */
  readonly prompt: Prompt
  /** What L3 sends; `prompt` until a layer rewrites it. */
  outgoing: Prompt
  /** The model that is meant: aliases resolved, the default filled in. */
  model: string | undefined
  /** Session scope; `undefined` is the global one. */
  session: string | number | undefined
  /** Who asks, for books and limits. */
  principal: string | undefined
  /** Whose cache entries these are; `undefined` shares them among all. */
  tenant: string | undefined
  route: RouteChoice

  /** See `Memo`. */
  readonly memos: Record<symbol, unknown>
  /** Headers that a layer adds to the reply. */
  readonly replyHeaders: Record<string, string>
  readonly trail: readonly TrailRow[]
  /** Says in the trail why the running tap did what it did (`miss`, `stale`). No prompt text. */
  note(reason: string): void
  /**
   * Attributes of the running tap's span: `exchange.attributes?.set('cache.hit', true)`. Absent while nobody traces and
   * where the plugin names no span, so that nothing is worked out in vain.
   */
  readonly attributes: Attributes | undefined

  /** Label of the layer that answered or refused; `l0` before any did. */
  readonly layer: string
  /** Answered without a cloud call? */
  readonly deflected: boolean
  /** The answer, once there is one. */
  readonly answer: Answer | undefined
  /** The failure that the client was told, if any. */
  readonly failure: GatewayError | undefined
}
