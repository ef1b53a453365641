import type { JsonObject } from '../json/object.ts'
import type { Stepped } from '../json/steps.ts'
import type { Chat } from './canonical.ts'
import type { Completion } from './completion.ts'
import type { Dialect, VendorState } from './dialect.ts'
import type { Fitting, Foreign } from './foreign.ts'
import type { BodyEdit, Instruction, ToolResultText } from './instruction.ts'
import type { ReplyFacts } from './reply-facts.ts'
import type { Frame, StreamDecoder, StreamEncoder } from './stream.ts'
import type { StreamForm } from './stream-form.ts'

/**
 * A dialect's conversions: pure functions between its bodies and the canonical shape. Surfaces use it to read clients,
 * providers to read vendors. `plugins/formats/` holds ours.
 *
 * Decoders throw `GatewayError('bad_request')` with the field's path for a prompt, and a plain `Error` for an
 * answer or event that is not what the format promises (a provider turns it into `ProviderError('protocol')`).
 */
export interface ChatFormat extends Dialect {
  /** `bytes`: what `body` was parsed from, for numbers that a double cannot hold; so for answers. */
  readonly decodePrompt: Stepped<[body: JsonObject, bytes?: Uint8Array], Chat>
  /**
   * Throws `GatewayError('bad_request')` for what this format cannot say and the client would miss. What else it leaves
   * out it tells `target.note`, both under the names that most dialects have, see `fieldNames`.
   */
  readonly encodePrompt: Stepped<[chat: Chat, target: EncodeTarget], JsonObject>

  decodeAnswer(body: unknown, bytes?: Uint8Array): Completion
  /** `prompt` is what it answers, for a dialect that repeats it. */
  encodeAnswer(completion: Completion, reply: ReplyFacts, prompt?: Prompt): JsonObject
  /** An encoded answer as JSON text, where numbers have to keep digits that a double has not. */
  readonly stringify?: (body: JsonObject) => string
  /**
   * The own bytes of an answer that another request had, with a new id and time, and with what it repeats of its request
   * as `prompt` says it. Everything else is untouched.
   */
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
  /**
   * What of an upstream frame of this very format goes to this client; `''` drops the frame. `joined`: it answers another
   * client's call, and what it repeats of that one's request is replaced by this one's.
   */
  passFrame(frame: Frame, prompt: Prompt, joined?: boolean): string
  /**
   * What has to go from a body of this format before its own vendor gets it, because that vendor would refuse it: proofs
   * of reasoning that are empty or another vendor's. `undefined` for most bodies; looks at the parsed body only.
   * `isOthers` knows proofs that another vendor of this very format made.
   */
  foreign?(body: JsonObject, isOthers?: (proof: string) => boolean): Foreign | undefined
  /**
   * What has to change in a body of this format for a model that its client did not name, such as a fallback's: what that
   * model refuses in another one's words. `undefined` where nothing has to, and for models that nobody knows. Looks at the
   * parsed body only. Throws `GatewayError('bad_request')` for what the model cannot do and the client would miss.
   */
  forModel?(body: JsonObject, model: string): Fitting | undefined
  /**
   * The texts of a body that instruct the model, in the order in which its vendor reads them. Default: no layer may
   * rewrite any.
   */
  instructions?(body: JsonObject): readonly Instruction[]
  /** What the user said first: with the instructions, what a conversation without an id is known by. Default: ''. */
  opening?(body: JsonObject): string
  /** The texts that tools gave back, in the same order. Default: no layer may rewrite any. */
  toolResults?(body: JsonObject): readonly ToolResultText[]
  /**
   * What has its vendor cache a conversation that goes on; empty where the client says itself what to cache, and where
   * caching would not pay. Default: its vendors cache unasked.
   */
  cacheMarks?(body: JsonObject): readonly BodyEdit[]
  /**
   * Its own names of what encoders and providers refuse, or leave out, under the name that most dialects have. Refusals and
   * notes name the field that the client wrote. Default: the same.
   */
  readonly fieldNames?: Readonly<Record<string, string>>
  /** The names that its vendors take for tools. Providers replace others, and turn them back in the answer. Default: any. */
  readonly toolNames?: RegExp
  /** Default: a cached answer is streamed from its canonical form, and not at all where that would lose something. */
  readonly streamForm?: StreamForm
}

/** Whom a prompt is written for. */
export interface EncodeTarget {
  readonly model: string
  readonly stream: boolean
  /** Told the name of each field that the client set and the body does without. */
  note?(field: string): void
}

export const isChatFormat = (dialect: Dialect): dialect is ChatFormat => 'decodePrompt' in dialect

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
  /** See `PromptHead.endpoint`. */
  readonly endpoint?: string | undefined
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
  /** The same in turns of the event loop: for a large body, before `chat` is first used. */
  chatInTurns(): Promise<Chat>
}
