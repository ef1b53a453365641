import type { AnswerEvent } from './canonical.ts'

/** One event of a live answer: what it means, and its text as the vendor sent it. */
export interface Frame {
  readonly events: readonly AnswerEvent[]
  /** The whole event in the vendor's own format, with its closing blank line. */
  readonly wire: string
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
  /** The text of one canonical event; `''` when it shows nothing yet. */
  push(event: AnswerEvent): string
}
