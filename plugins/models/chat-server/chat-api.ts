import type { WritingTask, WrittenText } from 'deflector'
import { Refusal } from '../upstream/json-call.ts'

interface Asked {
  readonly model: string
  /** Where the call decides on the model's window. */
  readonly contextTokens: number
}

/** How a server is asked to go on with a conversation. */
export interface ChatApi {
  /** The full address of its chat call. */
  address(url: string): string
  /** Throws a `Refusal` for what its server would cut without a word. */
  encode(task: WritingTask, asked: Asked): object
  /** `undefined` for what is no whole answer. Throws a `Refusal` for one that ended otherwise than a text ends. */
  decode(reply: unknown): WrittenText | undefined
}

/**
 * How an answer ended, by the server's word for it; some have none. `undefined` for a word that nobody knows. Throws a
 * `Refusal` for a call of a tool, or a filter: the server works, and does not answer this task.
 */
export function finishOf(word: string | null | undefined): WrittenText['finish'] | undefined {
  if (word === 'length') return 'length'
  if (OTHER_ENDS.has(word ?? ''))
    throw new Refusal("the small model's server ended its answer otherwise than a text ends")
  return ENDS.has(word ?? '') ? 'stop' : undefined
}

/** Why a model stopped that came to its end. */
const ENDS: ReadonlySet<string> = new Set(['', 'stop', 'eos', 'eos_token', 'stop_sequence'])
const OTHER_ENDS: ReadonlySet<string> = new Set(['tool_calls', 'function_call', 'content_filter'])
