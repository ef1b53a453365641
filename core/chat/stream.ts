import type { AnswerEvent } from './answer-event.ts'

/** One event of a live answer, or several that came together: what it means, and its text as the vendor sent it. */
export interface Frame {
  readonly events: readonly AnswerEvent[]
  /** Whole events in the vendor's own format, each with its closing blank line. */
  readonly wire: string
  /** The same for those who keep it, where that is less: as one event what differs in its text alone, and without ids. */
  readonly joined?: string
}

/** One server-sent event as it stood on the wire. */
export interface WireEvent {
  /** Of one delivery: it goes to who reads the stream as it comes, and is not kept. */
  readonly id?: string
  readonly event?: string
  readonly data: string
}

export interface StreamDecoder {
  /**
   * Has the vendor said that nothing of the answer is to come but its terminator? A line that breaks then is taken for one
   * that was closed. Absent: it never has.
   */
  readonly complete?: boolean
  /** The canonical events of one wire event. Throws on garbage and on the dialect's own error event. */
  push(event: WireEvent): AnswerEvent[]
  /** Reads the next events as one, as far as they say together what one could say. Absent: none do. */
  run?(events: readonly WireEvent[], from: number, to: number): EventRun | undefined
  /**
   * The upstream closed the stream. Returns what is still owed (the terminal frame that some hosts leave out after a
   * finish reason), or throws when the answer is not complete. `framed`: the transport marks the end of a body, so that
   * a stream that was cut off would have failed there.
   */
  finish(framed?: boolean): Frame[]
}

/** Events that say one thing in several pieces. */
export interface EventRun {
  /** How many they are. */
  readonly length: number
  readonly said: AnswerEvent
  /** The one event that would say it. */
  readonly joined: WireEvent
}

export interface StreamEncoder {
  /** The text of one canonical event; `''` when it shows nothing yet. */
  push(event: AnswerEvent): string
  /**
   * The answer breaks off here: the text of what was said and held back, without any sign of an end; an error follows.
   * Absent: nothing is held back.
   */
  breakOff?(): string
}
