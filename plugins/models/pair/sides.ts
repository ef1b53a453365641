import { WordPieces } from 'deflector/formats/word-pieces'
import { type Facts, factsOf } from './facts.ts'
import { ENGLISH } from './function-words.ts'
import { type Likeness, likenessOf } from './likeness.ts'
import { type PairInput, pairInput } from './pair-input.ts'

/** One prompt of a pair, or why it is compared with none. */
export type Side = Comparable | { readonly refused: string }

export interface Comparable {
  readonly facts: Facts
  readonly pieces: readonly number[]
}

/** Reads prompts as the model does, by the vocabulary of its tokenizer. */
export class Sides {
  readonly #words: WordPieces
  readonly #most: number
  readonly #special: { readonly cls: number; readonly sep: number }
  readonly #weak: ReadonlySet<number>

  /** `tokenizer` is what its file holds. Of each text at most `most` pieces are judged. Throws on another kind of tokenizer. */
  constructor(tokenizer: unknown, most: number) {
    // One piece more than may be judged, so that a longer text is seen to be one; and two special tokens.
    this.#words = new WordPieces(tokenizer, most + 3)
    this.#most = most
    const [cls = 0, sep = 0] = this.#words.encode('')
    this.#special = { cls, sep }
    this.#weak = new Set([...ENGLISH, ...'.,?!:;\'"()-'].flatMap(word => inner(this.#words.encode(word))))
  }

  read(text: string): Side {
    const pieces = inner(this.#words.encode(text))
    if (pieces.length > this.#most) return { refused: 'long' }
    if (pieces.includes(this.#words.unknown)) return { refused: 'unknown_words' }
    const facts = factsOf(text)
    return isForeign(facts, this.#words) ? { refused: 'language' } : { facts, pieces }
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

/** Of so many words of three letters or more, this share at least is in the vocabulary, if it is that of their language. */
const [ENOUGH, KNOWN] = [3, 0.3]

/** Words of a language that has no table here, and so was taken for keywords. */
function isForeign({ tokens }: Facts, words: WordPieces): boolean {
  const long = tokens.filter(({ kind, text }) => kind === 'word' && text.length > 2)
  return long.length >= ENOUGH && long.filter(({ text }) => words.isWhole(text)).length < long.length * KNOWN
}
