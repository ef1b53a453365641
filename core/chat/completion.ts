import type { OpaqueBlock, ReasoningBlock, RefusalBlock, TextBlock, ToolCallBlock } from './blocks.ts'

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
  /** Of `cacheWrite`, those that are kept for an hour rather than minutes. Absent where the vendor does not tell. */
  readonly cacheWriteLong?: number
  readonly reasoning?: number
  /** The largest prompt of several that were counted together: some prices go by the length of one. */
  readonly largestPrompt?: number
  /** The class of service that they were counted in, which may have its own price: a word of `Serving.tier`. */
  readonly tier?: string
  /** Nobody counted them: they were guessed from the length of the texts. */
  readonly guessed?: boolean
}
