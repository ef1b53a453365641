import type { GatewayError } from '../errors.ts'
import type { JsonObject } from '../json/object.ts'
import type { Usage } from './completion.ts'
import type { KeyRules } from './key-rules.ts'

/**
 * What is true of one wire dialect and of no other: how a request's head reads, how errors are encoded, how a stream is
 * framed. Every surface has one. A dialect in which conversations are held is a `ChatFormat` as well.
 *
 * `readHead` throws `GatewayError('bad_request')` with the field's path.
 */
export interface Dialect {
  /** The name by which two sides know that they speak the same. */
  readonly name: string
  /** What `readHead` gets as the body; default: the bytes as JSON. For requests that may hold none. */
  parseBody?(bytes: Uint8Array, call: HeadCall): unknown
  /** The few facts that every request needs, with the body checked only as far as they go. */
  readHead(body: unknown, call: HeadCall): PromptHead
  encodeError(error: GatewayError, requestId: string): JsonObject
  /** The error event of a stream that has begun. No terminator follows it. `sent` is what the client has had of it. */
  encodeStreamError(error: GatewayError, requestId: string, sent?: SentText): string
  /** How a stream to this client looks around its events. */
  framing(call: HeadCall): StreamFraming
  /** The client headers that shape an answer. They enter cache keys and go to vendors of the same dialect. Default: none. */
  readonly headers?: readonly DialectHeader[]
  /** How fields of its bodies enter a cache key. Default: all but the common noise counts. Read once. */
  readonly keyRules?: KeyRules
  /**
   * The text of the last user turn, and the body without it. `undefined` where that turn is more than one plain text.
   * Default: there is none, and caches that compare texts leave the request alone.
   */
  lastTurn?(body: JsonObject): LastTurn | undefined
  /** The most tokens that the client takes as an answer, over all choices; `undefined` where it names no limit. */
  outputCap?(body: JsonObject): number | undefined
  /** How many answers the client asks for at once. Default: one. */
  choices?(body: JsonObject): number
  /** Its calls have no body: their heads are read from path and query alone. */
  readonly bodiless?: boolean
  /**
   * The ids under which later requests can refer to what this answer made at its vendor. `body` is a whole answer, or one
   * event of a stream, parsed. Asked only where the request's `state` creates something. Default: none.
   */
  stateIn?(body: JsonObject): readonly string[]
  /** The work that this answer, or event of a stream, tells of, and that its vendor goes on with by itself. Default: none. */
  workIn?(body: JsonObject): VendorWork | undefined
}

/** A header that belongs to a dialect. */
export interface DialectHeader {
  /** In lower case. */
  readonly name: string
  /** Stands for all headers whose names begin so, but for those that look as if they held a credential. */
  readonly prefix?: boolean
  /** Its value is a list parted by commas, whose order means nothing. Default: the value counts as it is. */
  readonly set?: boolean
  /** Sent to a vendor where the client gave none: the version that the dialect's conversions were written for. */
  readonly default?: string
}

/** What the user said last, and the body without it. */
export interface LastTurn {
  readonly text: string
  /** The same body with an empty text in that place. */
  readonly rest: JsonObject
}

/** What a head may be read from beside the body: some dialects have the model or the operation in the path. */
export interface HeadCall {
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** The first and the last text of a stream, where any was written. */
export interface SentText {
  readonly first: string
  readonly last: string
}

export interface StreamFraming {
  /** Of the reply: `text/event-stream` for server-sent events. */
  readonly contentType: string
  /** Written while nothing else is, so that no proxy takes the connection for dead. Empty: nothing is. */
  readonly keepAlive: string
  /** Written before the first event and after the last one, for streams that are one JSON list. Default: nothing. */
  readonly opening?: string
  readonly closing?: string
}

/** The operation of a request whose dialect names none: a conversation. */
export const CHAT = 'chat'

export interface PromptHead {
  readonly body: JsonObject
  readonly model?: string
  readonly stream: boolean
  /** A session id in the body (`session_id`, `thread_id`, `conversation_id`, also under `metadata`); 1 is not `"1"`. */
  readonly session?: string | number
  /** What is asked for: `embeddings`, `count_tokens`. Default: `chat`. */
  readonly operation?: string
  /**
   * The vendor's endpoint, of calls that need no model. One that names none gets no default, and is limited by its vendor
   * apart from what models are asked.
   */
  readonly endpoint?: string
  readonly state?: VendorState
  /**
   * Query parameters of the call that belong to the dialect, as text in a fixed order (`beta=true`). They enter cache keys
   * and go to vendors of the same dialect. Default: none.
   */
  readonly query?: string
}

/** Work at a vendor that is looked up later, under its id. */
export interface VendorWork {
  readonly id: string
  /** What it took; absent while it goes on, and where the vendor does not tell. */
  readonly usage?: Usage
}

/**
 * State that a vendor holds and that a request makes or refers to: a stored response, a thread, a container, a file. The
 * verdict of a check that a request asks for counts as such.
 * Only the provider that holds it can answer, and no answer of another request fits.
 */
export interface VendorState {
  /** The field of the request that says so, for messages to its client. */
  readonly field: string
  /** Ids of state that has to be there. */
  readonly refers: readonly string[]
  /** The answer is itself state, under its own id, that later requests may refer to. */
  readonly creates: boolean
  /**
   * The client is after the state: an answer without it, or an old one, is of no use. Absent where the vendor keeps
   * answers unasked: then any dialect can answer, and a cache may give an answer again under the vendor's own id.
   */
  readonly essential?: boolean
  /** Each call may do something beyond its answer: none is made again once the vendor may have begun. */
  readonly starts?: boolean
  /** The work goes on behind the answer, which then does not say yet what it takes. */
  readonly goesOn?: boolean
  /** The answer leaves something behind at the vendor that serves this client only, and not for long. */
  readonly once?: boolean
  /** The request deletes what it refers to. */
  readonly ends?: boolean
  /** The request asks for all that its vendor holds, whoever made it. */
  readonly lists?: boolean
}
