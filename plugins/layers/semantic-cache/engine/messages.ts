import type { Portable } from 'deflector'

/** What the gateway and its semantic engine say to each other; `pipe.ts` carries it as JSON. */

/**
 * Most candidates that a lookup up to the first hit asks the judge's model about; those that a rule refuses do not count.
 * Of hits on the third and later ones a fifth is wrong (`npm run model:replay`), and each run takes milliseconds.
 */
export const MOST_JUDGED = 2

export type ToEngine =
  | { readonly is: 'open'; readonly parts: Parts }
  | ({ readonly is: 'lookup' } & LookupMessage)
  | ({ readonly is: 'add' } & AddMessage)
  | { readonly is: 'remove'; readonly handle: number }
  | { readonly is: 'clear' }
  /** Nobody awaits this lookup any more. */
  | { readonly is: 'forget'; readonly id: number }

export type FromEngine =
  | { readonly is: 'ready' }
  | { readonly is: 'unready'; readonly reason: string }
  /** Best first. Of a lookup up to the first hit, a hit is the last. */
  | { readonly is: 'answer'; readonly id: number; readonly considered: readonly Considered[] }
  | { readonly is: 'failed'; readonly id: number; readonly reason: string }
  /** A lookup that nobody awaited any more was left out. */
  | { readonly is: 'forgotten'; readonly id: number }
  /** So many adds were done, or dropped. */
  | { readonly is: 'added'; readonly count: number }
  | { readonly is: 'expired'; readonly handle: number }

/** The models that the engine makes for itself. Without an embedder, vectors come along; without a judge, nothing is judged. */
export interface Parts {
  readonly embedder?: Portable | undefined
  readonly judge?: Portable | undefined
}

/** A text with its vector as text, where the engine does not make its own. */
export interface TextMessage {
  readonly text: string
  readonly vector?: string | undefined
}

export interface LookupMessage extends TextMessage {
  readonly id: number
  /** Number of the partition; 0 where only `against` is compared. */
  readonly partition: number
  /** How much of the candidates is judged: none, up to the first hit, or all. */
  readonly judging: 'none' | 'first' | 'all'
  /** Most candidates. */
  readonly most: number
  /** Least cosine of a candidate. */
  readonly least: number
  /** Least probability of a hit. */
  readonly bar: number
  /** The gateway's time, milliseconds since 1970: what was fresh until then is no candidate. */
  readonly now: number
  /** Entries that are no candidates. */
  readonly excluded: readonly number[]
  /** Compares with this text alone, which is then the only one considered, with the handle 0; no entry is looked at. */
  readonly against?: TextMessage | undefined
}

export interface AddMessage extends TextMessage {
  /** Names the entry until it is removed. */
  readonly handle: number
  readonly partition: number
  readonly freshUntil: number
}

/** An entry that is near, and what the judge makes of it. */
export interface Considered {
  readonly handle: number
  /** Cosine. */
  readonly similarity: number
  /** 1 where no judge was asked. */
  readonly probability: number
  /** Id of the rule that refused; absent where none did. */
  readonly reason?: string | undefined
}
