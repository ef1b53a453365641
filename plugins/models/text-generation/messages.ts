/** Messages between the gateway and its writing process. */
import type { WritingTask, WrittenText } from 'deflector'

export type Asked =
  | { readonly type: 'write'; readonly id: number; readonly task: WritingTask }
  /** Nobody waits for this text any more. */
  | { readonly type: 'stop'; readonly id: number }

/** What the process found out about its model. */
export interface Ready {
  /** Most tokens of task and answer together; absent where the model does not say. */
  readonly window?: number
}

export type Said = { readonly id: number } & (
  | { readonly type: 'written'; readonly written: WrittenText }
  /** A sign of life, at most once a second. */
  | { readonly type: 'working' }
  | { readonly type: 'stopped' }
  | { readonly type: 'refused'; readonly message: string }
  | { readonly type: 'failed'; readonly message: string }
)
