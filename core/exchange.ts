import type { Call } from './call.ts'
import type { Cancellation } from './cancellation.ts'
import type { Answer } from './chat/answer.ts'
import type { Prompt } from './chat/format.ts'
import type { GatewayError } from './errors.ts'

/** Where L0.5 sends a request. */
export interface RouteChoice {
  /** Instance name of the preferred provider; prefixes the cache key. */
  readonly provider?: string
  /** Model to ask for instead of the client's. */
  readonly model?: string
  /** The request may be answered here but must not leave the machine. The text names the rule. */
  readonly localRule?: string
  /** The request itself names the provider, in front of its model. */
  readonly named?: true
}

/** One tap's part in an exchange. */
export interface TrailRow {
  readonly hook: string
  readonly tap: string
  /** Milliseconds. */
  ms: number
  /**
   * `answered`, `passed`, `failed`, or a reason the tap gave with `exchange.note`. A layer that keeps an answer notes
   * `stored`: `put` tells the surface so.
   */
  outcome: string
  /**
   * What vendors that the tap asked were not told of the request, as `<provider>: <field>`, the field in the client's own
   * words. Never a value.
   */
  omitted: string[] | undefined
  /** Of the tap's span, while there is a tracer. */
  readonly attributes?: Attributes | undefined
}

/** What a span says of the work it stands for. Never prompt text, never a key or another secret. */
export type Attributes = Map<string, string | number | boolean>

/**
 * Why an exchange was opened. `chat`: a client waits for an answer, of whatever operation; request counts and books are
 * of these alone. `lookup`: the caches were asked, a miss is no failure. `put`: an answer from outside was stored.
 * `admit`: only the caller was checked, and the prompt read where there was one. `inspect`: nobody sent it; somebody
 * asked what would become of it.
 */
export type ExchangeKind = 'chat' | 'lookup' | 'put' | 'admit' | 'inspect'

/** What a call says of itself beside its headers and its body. */
export type CallLine = Pick<Call, 'method' | 'path' | 'query' | 'remote' | 'proxied'>

/** What went to the client, for observers that asked for it with `keepReplies`. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The first bytes of the body, in the parts in which they were written; a stream adds to them while it runs. */
  readonly body: readonly (string | Uint8Array)[]
  /** The body has more than was kept. */
  readonly cut: boolean
  /** All of it was written. */
  readonly ended: boolean
}

/** One request on its way through a flow. */
export interface Exchange {
  /** Sent as `x-service-request-id`. */
  readonly id: string
  readonly kind: ExchangeKind
  readonly flow: string
  /** Instance name of the surface. */
  readonly surface: string
  /** Cache namespace: one surface never reads another's answers. Set by the surface; `receive` may move the request. */
  namespace: string
  /** Incoming headers, lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The call that it came by; absent where no listener of ours took one. */
  readonly call: CallLine | undefined
  /** Name of the dialect that its surface speaks, also of a request whose body was never read. */
  readonly dialect: string | undefined
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
  /** The prompt once its body was read; for `finish`, which a refused request reaches without one. */
  readonly opened: Prompt | undefined
  /** What L3 sends; `prompt` until a layer rewrites it. */
  outgoing: Prompt
  /** The model that is meant: aliases resolved, the default filled in. */
  model: string | undefined
  /** Session scope; `undefined` is the global one. */
  session: string | number | undefined
  /** The caller, for books and limits. */
  principal: string | undefined
  /** May the caller administer the gateway? `receive` says so; `undefined` where no layer asks for keys. */
  mayAdminister: boolean | undefined
  /** Whose cache entries these are; `undefined` shares them among all. */
  tenant: string | undefined
  /**
   * Credentials of the client's own that may be sent to the vendor they are of, in place of ours; `receive` sets them. No
   * log, no trace and no other vendor gets them. Answers that they may have paid for are nobody else's.
   */
  credentials: readonly string[]
  route: RouteChoice
  /**
   * W3C `traceparent` of what is asked of vendors for this request, where their operator wants it: the client's, until a
   * tracer puts its own in place.
   */
  traceparent: string | undefined

  /** See `Memo`. */
  readonly memos: Record<symbol, unknown>
  /** Headers that a layer adds to the reply. */
  readonly replyHeaders: Record<string, string>
  readonly trail: readonly TrailRow[]
  /** Says in the trail why the running tap did what it did (`miss`, `stale`). No prompt text. */
  note(reason: string): void
  /**
   * Attributes of the running tap's span: `exchange.attributes?.set('cache.hit', true)`. Absent without a tracer and
   * where the plugin names no span, so that nothing is computed in vain.
   */
  readonly attributes: Attributes | undefined

  /** Label of the layer that answered or refused; that of admission before any did. */
  readonly layer: string
  /** Instance name of the layer that answered, or that refused or failed. */
  readonly decidedBy: string | undefined
  /** Answered without a cloud call? */
  readonly deflected: boolean
  /** The answer, once there is one. */
  readonly answer: Answer | undefined
  /** The failure that the client was told, if any. */
  readonly failure: GatewayError | undefined
  /** Absent before its head is out, and where no observer keeps replies. A slow client may still read when `finish` comes. */
  readonly reply: Reply | undefined
}
