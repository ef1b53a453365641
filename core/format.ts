import type { AnswerEvent, Chat, Completion, JsonObject } from './chat.ts'
import type { GatewayError } from './errors.ts'
import type { Answer, Frame, Prompt } from './exchange.ts'

/**
 * A wire format: pure functions between one dialect and the canonical shape. Surfaces use it to read clients,
 * providers to read vendors. `plugins/formats/` holds ours.
 *
 * Decoders throw `GatewayError('bad_request')` with the field's path for a prompt, and a plain `Error` for an
 * answer or event that is not what the format promises (a provider turns it into `ProviderError('protocol')`).
 */
export interface Format {
  /** The name by which two sides know that they speak the same: `chat-completions`, `messages`. */
  readonly name: string

  /** The few facts that every request needs, with the body checked only as far as they go. */
  readHead(body: unknown): PromptHead
  decodePrompt(body: JsonObject): Chat
  encodePrompt(chat: Chat, target: { readonly model: string; readonly stream: boolean }): JsonObject

  decodeAnswer(body: unknown): Completion
  encodeAnswer(completion: Completion, reply: ReplyFacts): JsonObject
  /** A stored answer's own bytes with a new id and time, everything else untouched. */
  reissue(bytes: Uint8Array, reply: ReplyFacts): Uint8Array

  /** Reads one upstream stream. */
  streamDecoder(): StreamDecoder
  /** Writes one client's stream from canonical events. */
  streamEncoder(prompt: Prompt, reply: ReplyFacts): StreamEncoder
  /** What of an upstream frame of this very format goes to this client; `''` drops the frame. */
  passFrame(frame: Frame, prompt: Prompt): string

  encodeError(error: GatewayError, requestId: string): JsonObject
  /** The error event of a stream that has begun. No terminator follows it. */
  encodeStreamError(error: GatewayError, requestId: string): string
  /** What may be written between two events while nothing else is, so that no proxy takes the line for dead. */
  readonly keepAlive: string
}

export interface PromptHead {
  readonly body: JsonObject
  readonly model?: string
  readonly stream: boolean
  /** A session id in the body (`session_id`, `thread_id`, `conversation_id`, also under `metadata`); 1 is not `"1"`. */
  readonly session?: string | number
}

/** What the gateway adds to an answer on its way out. */
export interface ReplyFacts {
  /** Random and unique to this delivery; a format puts its own prefix before it. */
  readonly id: string
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
  /** SSE text for one canonical event; `''` when it shows nothing yet. */
  push(event: AnswerEvent): string
}

export type { Answer }
