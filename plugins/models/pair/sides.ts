import { WordPieces } from 'deflector/formats/word-pieces'
import { type Facts, factsOf } from './facts.ts'
import { ENGLISH } from './function-words.ts'
import { type Likeness, likenessOf } from './likeness.ts'
import { type PairInput, pairInput } from './pair-input.ts'
import type { Compared } from './reading.ts'

/** One prompt of a pair, or why it is compared with none. */
export type Side = Comparable | { readonly refused: string }

export interface Comparable {
  readonly facts: Facts
  readonly pieces: readonly number[]
}

/** Reads prompts as the model does, by the vocabulary of its tokenizer. */
export class Sides {
  readonly #words: WordPieces
  readonly #compared: Compared
  readonly #special: { readonly cls: number; readonly sep: number }
  readonly #weak: ReadonlySet<number>

  /** `tokenizer` is what its file holds. Throws on another kind of tokenizer. */
  constructor(tokenizer: unknown, compared: Compared) {
    // One piece more than may be judged, so that a longer text is seen to be one; and two special tokens.
    this.#words = new WordPieces(tokenizer, compared.maxPieces + 3)
    this.#compared = compared
    const [cls = 0, sep = 0] = this.#words.encode('')
    this.#special = { cls, sep }
    this.#weak = new Set([...ENGLISH, ...'.,?!:;\'"()-'].flatMap(word => inner(this.#words.encode(word))))
  }

  read(text: string): Side {
    const pieces = inner(this.#words.encode(text))
    if (pieces.length > this.#compared.maxPieces) return { refused: 'long' }
    if (pieces.includes(this.#words.unknown)) return { refused: 'unknown_words' }
    const facts = factsOf(text)
    return this.#compared.languages.has(facts.language) ? { facts, pieces } : { refused: 'language' }
  }

  likeness(one: Comparable, other: Comparable): Likeness {
    return likenessOf(one.pieces, other.pieces, this.#weak)
  }

  input(one: Comparable, other: Comparable): PairInput {
    return pairInput(one.pieces, other.pieces, this.#special)
  }
}

/** Without the special tokens around it. */
const inner = (ids: readonly number[]): readonly number[] => ids.slice(1, -1)
