import type { JsonObject } from 'deflector'

/** An event of an item, without its place in the stream. */
export type ItemEvent = JsonObject & { readonly type: string }

/** How an item ends: an answer that was cut off leaves its last one incomplete. */
export type ItemStatus = 'completed' | 'incomplete'

/**
 * One item of an answer on its way to a client. It tells its events as they become due: those between `added` and `done`
 * wait until the items before it are complete.
 */
export interface StreamItem {
  /** As `output_item.added` shows it. */
  readonly begun: JsonObject
  /** Is nothing more to come? Known only of calls with arguments, and of what came whole. */
  readonly complete: boolean
  /** The events that are due. */
  take(): ItemEvent[]
  /** The events that close it. */
  close(): ItemEvent[]
  /** The whole item, as `output_item.done` and the response show it. */
  done(status: ItemStatus): JsonObject
}
