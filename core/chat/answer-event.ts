import type { Citation, OpaqueBlock, TokenLogprob } from './blocks.ts'
import type { Stop, Usage } from './completion.ts'

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
