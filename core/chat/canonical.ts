/**
 * The canonical conversation: one neutral shape between all wire formats, so that n formats cost 2n converters.
 * Same format on both sides never passes through it; see `Prompt.bytes` and `Frame.wire`.
 */

import type { JsonObject } from '../json/object.ts'
import type { Block, CacheMark } from './blocks.ts'
import type { Tool, ToolChoice } from './tools.ts'

/** What a client asks, without its dialect. */
export interface Chat {
  /** System and developer text at the head of the conversation, in order. */
  readonly system: readonly string[]
  /** The marks behind texts of `system`, each at the index of its text. Absent: there is none. */
  readonly systemMarks?: readonly (CacheMark | undefined)[]
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  readonly toolChoice?: ToolChoice
  readonly sampling: Sampling
  /** Cap on generated tokens, reasoning included. */
  readonly maxOutput?: number
  readonly reasoning?: Reasoning
  readonly responseFormat?: ResponseFormat
  /** The end user's id as the client gave it. */
  readonly user?: string
  /** What changes the answer's shape, beyond text and tools. An encoder that has no place for one throws `unsayable`. */
  readonly wanted?: Wanted
  /** How to serve it. Encoders leave out what their dialect or vendor has no word for. */
  readonly serving?: Serving
  /** Fields of the client's body, as paths, that only a vendor of the client's own dialect can honour. Others are passed over. */
  readonly vendorOnly?: readonly string[]
  /** The same for fields that do not shape the answer (cache hints, a bias of tokens). Others go without, and note it. */
  readonly vendorHints?: readonly string[]
  /** Does the body ask for something that its dialect cannot read here? Nobody but a vendor knows what that does to an answer. */
  readonly unread?: boolean
}

/** Each is absent at its default: one choice, no probabilities, text alone. */
export interface Wanted {
  readonly choices?: number
  readonly logprobs?: { readonly top?: number }
  /** Spoken answers, with the voice and format as the client's dialect names them. */
  readonly audio?: JsonObject
}

/** What several dialects can ask for beside the conversation, and no answer's shape depends on. */
export interface Serving {
  readonly verbosity?: string
  /** The class of service, which may have its own price: `auto`, `default`, `flex`, `priority`, or a vendor's newest. */
  readonly tier?: string
  /** Requests with one key have one beginning, so that a vendor finds its cache. Clients may name a person in it. */
  readonly cacheKey?: string
  /** How long the vendor may keep that beginning, in the vendor's words: `in_memory`, `24h`. */
  readonly cacheRetention?: string
  /** How the vendor is to cache, in the words that OpenAI's two formats share. */
  readonly cacheOptions?: JsonObject
  /** The client's own labels. */
  readonly metadata?: Readonly<Record<string, string>>
  /** Did the client say that the vendor may keep the answer? */
  readonly kept?: boolean
}

export interface Turn {
  /** `system` only for instructions in mid-conversation. Tool results are blocks of a `user` turn. */
  readonly role: 'user' | 'assistant' | 'system'
  readonly blocks: readonly Block[]
}

export interface Sampling {
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly seed?: number
  readonly stop?: readonly string[]
  readonly frequencyPenalty?: number
  readonly presencePenalty?: number
}

export interface Reasoning {
  readonly mode: 'off' | 'auto' | 'on'
  readonly effort?: 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'
  /** Tokens the model may think. */
  readonly budget?: number
}

export type ResponseFormat =
  | { readonly type: 'json' }
  | {
      readonly type: 'schema'
      readonly name?: string
      /** What the answer is for. */
      readonly description?: string
      readonly schema: JsonObject
      readonly strict?: boolean
    }
