import type { GatewayError } from '../errors.ts'
import type { AnswerEvent, Chat, Completion, JsonObject } from './canonical.ts'
import type { KeyRules } from './key-rules.ts'

/**
 * What is true of one wire dialect and of no other: how a request's head reads, how errors are encoded, how a stream is
 * framed. Every surface has one. A dialect in which conversations are held is a `ChatFormat` as well.
 *
 * `readHead` throws `GatewayError('bad_request')` with the field's path.
 */
export interface Dialect {
  /** The name by which two sides know that they speak the same: `chat-completions`, `messages`. */
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
  /** Its calls have no body: their heads are read from path and query alone. */
  readonly bodiless?: boolean
  /**
   * The ids under which later requests can refer to what this answer made at its vendor. `body` is a whole answer, or one
   * event of a stream, parsed. Asked only where the request's `state` creates something. Default: none.
   */
  stateIn?(body: JsonObject): readonly string[]
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
  /** Written while nothing else is, so that no proxy takes the connection for dead. */
  readonly keepAlive: string
  /** Written before the first event and after the last one, for streams that are one JSON list. Default: nothing. */
  readonly opening?: string
  readonly closing?: string
}

/**
 * A dialect's conversions: pure functions between its bodies and the canonical shape. Surfaces use it to read clients,
 * providers to read vendors. `plugins/formats/` holds ours.
 *
 * Decoders throw `GatewayError('bad_request')` with the field's path for a prompt, and a plain `Error` for an
 * answer or event that is not what the format promises (a provider turns it into `ProviderError('protocol')`).
 */
export interface ChatFormat extends Dialect {
  /** `bytes`: what `body` was parsed from, for numbers that a double cannot hold; so for answers. */
  decodePrompt(body: JsonObject, bytes?: Uint8Array): Chat
  encodePrompt(chat: Chat, target: { readonly model: string; readonly stream: boolean }): JsonObject

  decodeAnswer(body: unknown, bytes?: Uint8Array): Completion
  /** `prompt` is what it answers, for a dialect that repeats it. */
  encodeAnswer(completion: Completion, reply: ReplyFacts, prompt?: Prompt): JsonObject
  /** An encoded answer as JSON text, where numbers have to keep digits that a double has not. */
  readonly stringify?: (body: JsonObject) => string
  /** A stored answer's own bytes with a new id and time, everything else untouched. */
  reissue(bytes: Uint8Array, reply: ReplyFacts, prompt?: Prompt): Uint8Array

  /** Reads one upstream stream. */
  streamDecoder(): StreamDecoder
  /** Writes one client's stream from canonical events. */
  streamEncoder(prompt: Prompt, reply: ReplyFacts): StreamEncoder
  /**
   * Goes on with a stream of this very format that broke off after `sent`: under the same ids, with what is open still
   * open. `undefined` where that cannot be said. Absent: such streams end where they broke off.
   */
  resumedEncoder?(sent: readonly Frame[], prompt: Prompt): StreamEncoder | undefined
  /** The body with the beginning of its answer as the last turn, an assistant's. Absent: no vendor continues it. */
  withBeginning?(body: JsonObject, text: string): JsonObject
  /** What of an upstream frame of this very format goes to this client; `''` drops the frame. */
  passFrame(frame: Frame, prompt: Prompt): string
  /**
   * What has to go from a body of this format before its own vendor gets it, because that vendor would refuse it: proofs
   * of reasoning that are empty or another vendor's. `undefined` for most bodies; looks at the parsed body only.
   */
  foreign?(body: JsonObject): Foreign | undefined
  /** Default: a cached answer is streamed from its canonical form, and not at all where that would lose something. */
  readonly streamForm?: StreamForm
}

/** Edits of a body, see `ChatFormat.foreign`. */
export interface Foreign {
  /** Members and items to take out. */
  readonly parts: readonly JsonPath[]
  /** Members of the body to set to this JSON text, or to take out. */
  readonly members?: Readonly<Record<string, string | undefined>>
}

/** Names and places on the way to a value in a body. */
export type JsonPath = readonly (string | number)[]

export const isChatFormat = (dialect: Dialect): dialect is ChatFormat => 'decodePrompt' in dialect

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
  readonly state?: VendorState
  /**
   * Query parameters of the call that belong to the dialect, as text in a fixed order (`beta=true`). They enter cache keys
   * and go to vendors of the same dialect. Default: none.
   */
  readonly query?: string
}

/**
 * State that a vendor holds and that a request makes or refers to: a stored response, a thread, a container, a file.
 * Only the provider that holds it can answer, and no answer of another request fits.
 */
export interface VendorState {
  /** The field that says so, for messages: `previous_response_id`. */
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
  /** The request deletes what it refers to. */
  readonly ends?: boolean
}

/**
 * What a client asked. It never changes: what a layer shrinks or rewrites is `Exchange.outgoing`, so a cache key is
 * the same on the way in and on the way out.
 */
export interface Prompt {
  /** The dialect of `bytes` and `body`. */
  readonly dialect: Dialect
  /** The same as a chat format. Throws `GatewayError('internal')` for a dialect that holds no conversations. */
  readonly format: ChatFormat
  /** An open word: `chat`, `embeddings`, `count_tokens`. Layers and providers say which ones they understand. */
  readonly operation: string
  /** The body as it came, decompressed. Providers of the same dialect forward exactly these bytes. */
  readonly bytes: Uint8Array
  /** `bytes`, parsed. */
  readonly body: JsonObject
  /** The model as the client wrote it, before aliases. */
  readonly model: string | undefined
  readonly stream: boolean
  /** A session id found in the body. */
  readonly session: string | number | undefined
  /** State at a vendor that the request makes or refers to. */
  readonly state: VendorState | undefined
  /** See `PromptHead.query`; `''` where there is none. */
  readonly query: string
  /** The canonical conversation, decoded on first use. Only for the operation `chat`. */
  readonly chat: Chat
}

/** One event of a live answer: what it means, and its text as the vendor sent it. */
export interface Frame {
  readonly events: readonly AnswerEvent[]
  /** The whole event in the vendor's own format, with its closing blank line. */
  readonly wire: string
}

/** What the gateway adds to an answer on its way out. */
export interface ReplyFacts {
  /** Random and unique to this delivery; a format puts its own prefix before it. */
  readonly id: string
  /**
   * The vendor's id, whole, of an answer that the client may refer to later; it stands in place of `id`. Formats whose
   * answers are no state never see one.
   */
  readonly vendorId?: string
  /** Unix seconds. */
  readonly created: number
  /** Label of the layer that answered: `l1a`, `l3`. */
  readonly layer: string
  readonly provider?: string
}

/** One server-sent event as it stood on the wire. */
export interface WireEvent {
  readonly event?: string
  readonly data: string
}

export interface StreamDecoder {
  /** The canonical events of one wire event. Throws on garbage and on the dialect's own error event. */
  push(event: WireEvent): AnswerEvent[]
  /**
   * The upstream closed the stream. Returns what is still owed (the terminal frame that some hosts leave out after a
   * finish reason), or throws when the answer is not complete. `framed`: the transport marks the end of a body, so that
   * a stream that was cut off would have failed there.
   */
  finish(framed?: boolean): Frame[]
}

export interface StreamEncoder {
  /** The text of one canonical event; `''` when it shows nothing yet. */
  push(event: AnswerEvent): string
}

/**
 * How the answers of one format are kept as streams, so that a cached one loses nothing that the canonical shape has no
 * place for. `text` is server-sent events, with texts that came in pieces put together. Ids and times are the vendor's.
 */
export interface StreamForm {
  record(): StreamRecord
  /** The events for one client: an id and a time of their own, long texts in pieces again. */
  send(text: string, prompt: Prompt, reply: ReplyFacts): Iterable<string>
  /** The bytes of the whole answer that a stream amounts to; `undefined` where only a stream can say all of it. */
  toWhole(text: string): Uint8Array | undefined
  /** The stream that a whole answer amounts to. `body` is `bytes` parsed. */
  fromWhole(body: JsonObject, bytes: Uint8Array): string
}

/** Gathers one stream on its way. */
export interface StreamRecord {
  /** The next event, as `Frame.wire` has it. */
  add(wire: string): void
  /** The stream is in doubt and not to be kept. */
  drop(): void
  /** `undefined`: it was dropped, or is too large to be kept. */
  text(): string | undefined
}
