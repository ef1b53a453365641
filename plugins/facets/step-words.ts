import { facet } from 'deflector'

/** A stored prompt that a layer compared with the request's. */
export interface Neighbour {
  /** Cosine of the two. */
  readonly similarity: number
  /** That both have the same answer, where that was asked. */
  readonly probability?: number
  /** Id of the request that stored it. */
  readonly id: string
}

/** What a layer noted of a request, for people. */
export interface StepWords {
  /** A sentence without its subject, the layer, and without a full stop: `has an answer that is too old`. */
  readonly words: string
  readonly neighbour?: Neighbour
}

/**
 * Says in words what `exchange.note` had from this layer. `undefined` for a note that says enough by itself, such as `hit`.
 * Offered by layers, so that screens need to know none of them.
 */
export type ReadStep = (outcome: string) => StepWords | undefined

export const stepWords = facet<ReadStep>('step-words')

/** Words by what was noted. */
export type WordTable = Readonly<Record<string, string>>

/** The words of a note; none for one that every object has a member for, such as `constructor`. */
export const wordsIn = (table: WordTable, note: string): string | undefined =>
  Object.hasOwn(table, note) ? table[note] : undefined

/** For a layer whose notes are few. */
export const wordsFrom =
  (table: WordTable): ReadStep =>
  outcome => {
    const words = wordsIn(table, outcome)
    return words === undefined ? undefined : { words }
  }
