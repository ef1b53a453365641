/**
 * The canonical conversation: one neutral shape between all wire formats, so that n formats cost 2n converters.
 * Same format on both sides never passes through it; see `Prompt.bytes` and `Frame.wire`.
 */

export type JsonObject = Record<string, unknown>

/** What a client asks, without its dialect. */
export interface Chat {
  /** System and developer text at the head of the conversation, in order. */
  readonly system: readonly string[]
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

export interface TextBlock {
  readonly type: 'text'
  readonly text: string
  readonly citations?: readonly Citation[]
  readonly logprobs?: readonly TokenLogprob[]
}

/** Where a piece of an answer comes from. */
export interface Citation {
  readonly url?: string
  readonly title?: string
  /** The words of the source. */
  readonly quote?: string
  /** Where in the text block it belongs, in UTF-16 units; absent where the vendor cites a whole block. */
  readonly start?: number
  readonly end?: number
}

/** Natural logarithm of a token's probability, and those of its rivals. */
export interface TokenLogprob {
  readonly token: string
  readonly logprob: number
  readonly top?: readonly { readonly token: string; readonly logprob: number }[]
}

/** Image, document or audio, by data (base64, no prefix), by URL or by a vendor's file id. */
export interface MediaBlock {
  readonly type: 'image' | 'document' | 'audio'
  readonly source:
    | { readonly data: string; readonly mediaType: string }
    | { readonly url: string }
    | { readonly fileId: string }
  readonly detail?: string
  readonly title?: string
  /** What the client says of a document beside its text. A format without a field for it says it in words before. */
  readonly context?: string
}

/** The model's reasoning. `signature` and `redacted` are valid only for the vendor that wrote them. */
export interface ReasoningBlock {
  readonly type: 'reasoning'
  readonly text: string
  readonly signature?: string
  /** Reasoning that only its vendor can read. */
  readonly redacted?: string
  /** The dialect of the vendor that signed it. An encoder of another dialect leaves out what it cannot vouch for. */
  readonly origin?: string
}

export interface ToolCallBlock {
  readonly type: 'tool_call'
  readonly id: string
  readonly name: string
  /** The arguments as JSON text, byte for byte as the model wrote them; `""` means `{}`. Free text for a `custom` tool. */
  readonly args: string
  readonly kind?: 'custom'
  /** The group that the tool is declared in; `name` begins with it. */
  readonly namespace?: string
  /** As in `ReasoningBlock`: some vendors sign calls. */
  readonly signature?: string
  readonly origin?: string
}

export interface ToolResultBlock {
  readonly type: 'tool_result'
  readonly id: string
  readonly blocks: readonly (TextBlock | MediaBlock)[]
  readonly isError: boolean
}

export interface RefusalBlock {
  readonly type: 'refusal'
  readonly text: string
}

/** A block of one format that the canonical shape does not model; only that format may write it again. */
export interface OpaqueBlock {
  readonly type: 'opaque'
  readonly format: string
  readonly value: JsonObject
  /** What it is (`an image`), where an answer without it would be another one: clients of other formats get an error. */
  readonly vital?: string
}

export type Block =
  | TextBlock
  | MediaBlock
  | ReasoningBlock
  | ToolCallBlock
  | ToolResultBlock
  | RefusalBlock
  | OpaqueBlock

export interface Tool {
  readonly name: string
  readonly description?: string
  /** JSON Schema of the arguments; absent means no arguments. */
  readonly parameters?: JsonObject
  readonly strict?: boolean
  /** Takes one free text instead of arguments; `grammar` is what the text must follow: a `definition`, and its `syntax`. */
  readonly kind?: 'custom'
  readonly grammar?: JsonObject
  /** The group that the tool is declared in; `name` begins with it, so that no two tools have one name. */
  readonly namespace?: string
  /**
   * A tool that a vendor defines or runs itself, as it came; every other format refuses it with `bad_request`. `field` is
   * its path in the client's body, where that is known. `search` says the same of a search of the web, which vendors of
   * several formats run.
   */
  readonly hosted?: {
    readonly format: string
    readonly value: JsonObject
    readonly field?: string
    readonly search?: WebSearch
  }
}

/** A search of the web that its vendor runs itself. What the client left open is absent. */
export interface WebSearch {
  readonly allowedDomains?: readonly string[]
  readonly blockedDomains?: readonly string[]
  /** Where the user is about: names of places, a country's code of two letters, a time zone by its IANA name. */
  readonly location?: { readonly [Part in 'city' | 'region' | 'country' | 'timezone']?: string }
  /** Searches that may be made for one answer. */
  readonly maxUses?: number
  /** How much of what is found the model reads. Guidance: an encoder without a word for it leaves it out. */
  readonly contextSize?: 'low' | 'medium' | 'high'
  /** The path of each setting in the client's body. */
  readonly fields: { readonly [Setting in SearchSetting]?: string }
  /** Paths of settings that no other dialect has. */
  readonly vendorOnly?: readonly string[]
}

/** What may not be left out: without it the answer would be another one. */
export type SearchSetting = 'allowedDomains' | 'blockedDomains' | 'location' | 'maxUses'

export interface ToolChoice {
  /** `any`: must call something; `named`: must call one of `names`. */
  readonly mode: 'auto' | 'none' | 'any' | 'named'
  readonly names?: readonly string[]
  readonly parallel?: boolean
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
  | { readonly type: 'schema'; readonly name?: string; readonly schema: JsonObject; readonly strict?: boolean }

/** A whole canonical answer. */
export interface Completion {
  readonly id: string
  readonly model: string
  /** Unix seconds. */
  readonly created: number
  readonly blocks: readonly AnswerBlock[]
  readonly stop: Stop
  readonly usage?: Usage
  /** Further choices that the client asked for. No encoder writes them, so `unmodelled` names them too. */
  readonly others?: readonly Pick<Completion, 'blocks' | 'stop'>[]
  /**
   * What the answer holds beside all this, each in a few words; never empty. Only the answer's own bytes tell all of it:
   * written again, in whatever format or as a stream, it would be another answer.
   */
  readonly unmodelled?: readonly string[]
}

export type AnswerBlock = TextBlock | ReasoningBlock | ToolCallBlock | RefusalBlock | OpaqueBlock

/**
 * Why the model stopped. `stop` and `stop_sequence` finished, `tool_use` wants its calls run, `length` hit the output cap,
 * `context` the model's window, `filtered` a content filter, `refusal` the model declined, `paused` a server-side tool loop.
 */
export type StopReason =
  | 'stop'
  | 'stop_sequence'
  | 'tool_use'
  | 'length'
  | 'context'
  | 'filtered'
  | 'refusal'
  | 'paused'
  | 'unknown'

export interface Stop {
  readonly reason: StopReason
  /** The stop string that matched, where the vendor says it. */
  readonly sequence?: string
  /** The word by which the vendor says that the model came to no answer. Only clients of its dialect get such a one. */
  readonly gaveUp?: string
}

/** Tokens. `input` counts everything sent, cached parts included; `output` everything generated, reasoning included. */
export interface Usage {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
  /** The class of service that they were counted in, which may have its own price: a word of `Serving.tier`. */
  readonly tier?: string
}

/** One step of a streamed canonical answer. */
export type AnswerEvent =
  | {
      readonly type: 'start'
      readonly id: string
      readonly model: string
      readonly created: number
      readonly usage?: Usage
    }
  | { readonly type: 'text'; readonly text: string; readonly logprobs?: readonly TokenLogprob[] }
  /** Belongs to the text before it. */
  | { readonly type: 'citation'; readonly citation: Citation }
  | { readonly type: 'reasoning'; readonly text: string }
  /** Ends a reasoning block with the vendor's proof of it; a `redacted` one has no text. */
  | { readonly type: 'signature'; readonly signature?: string; readonly redacted?: string; readonly origin?: string }
  | { readonly type: 'refusal'; readonly text: string }
  /** Begins a tool call. `index` is its identity inside the stream: calls may interleave. */
  | {
      readonly type: 'tool_call'
      readonly index: number
      readonly id: string
      readonly name: string
      readonly kind?: 'custom'
      readonly namespace?: string
      readonly signature?: string
      readonly origin?: string
    }
  | { readonly type: 'tool_args'; readonly index: number; readonly text: string }
  | OpaqueBlock
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'stop'; readonly stop: Stop }
  /** Something this shape cannot hold went by (a second choice, log probabilities): forwarded, but never stored. */
  | { readonly type: 'unmodelled'; readonly what: string }
  /** The protocol's own terminal event. Without it a stream is broken. */
  | { readonly type: 'end' }
