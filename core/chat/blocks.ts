import type { JsonObject } from '../json/object.ts'

/** What turns and answers are made of. */

/** The client has its vendor cache the prompt up to the end of this block. */
export interface CacheMark {
  /** How long, in the vendor's words: `5m`, `1h`. */
  readonly ttl?: string
  /** Is it a breakpoint? Models that do not know those refuse them, so that no other mark is written as one. */
  readonly breakpoint?: true
}

export interface TextBlock {
  readonly type: 'text'
  readonly text: string
  readonly citations?: readonly Citation[]
  readonly logprobs?: readonly TokenLogprob[]
  readonly cacheMark?: CacheMark
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
  readonly cacheMark?: CacheMark
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
  /** The vendor did it, with effects beyond the answer: an answer that is given again would tell of what nobody did. */
  readonly deed?: true
  readonly step?: OwnStep
}

/** What a vendor did itself, and is done with: other vendors can go on without it. */
export interface OwnStep {
  /** What it is called in the client's dialect, for notes of what another vendor was not sent. */
  readonly field: string
  /** What it came to. Empty: the words beside it say so. */
  readonly told: readonly (TextBlock | MediaBlock)[]
}

export type Block =
  | TextBlock
  | MediaBlock
  | ReasoningBlock
  | ToolCallBlock
  | ToolResultBlock
  | RefusalBlock
  | OpaqueBlock
