import { WordPieces } from 'deflector/formats/word-pieces'
import QuickLRU from 'quick-lru'
import { z } from 'zod'
import { languageOf } from './language.ts'
import { tokensOf } from './tokens.ts'

/** Characters that are read of all that stands before a prompt, in milliseconds: more could say anything further on. */
const LONGEST = 4 << 10
/** Characters that tell the language. */
const SAMPLE = 600
/** Word pieces that are scored together at most: the examples have no more, and in a long text one part may say it. */
const PART = 192
/** Instructions that stay scored: an application sends the same with each request. */
const KNOWN = 200

/** As `scripts/pair/instructions.py` writes it: an int8 for each piece of the vocabulary, in base64. */
export const instructionsFile = z.object({ weights: z.base64() })

/**
 * Tells whether a system prompt, or an earlier turn, makes the next message a text to work on. Then each of its words
 * counts: under `count the words of the message` a question has another answer than the same question in other words.
 * The mean weight of the word pieces says so, which was learnt from examples.
 */
export class Instructions {
  readonly #pieces: WordPieces
  readonly #weights: Int8Array
  readonly #known = new QuickLRU<string, boolean>({ maxSize: KNOWN })

  /** `tokenizer` is what its file holds. Throws where the two are not of one vocabulary. */
  constructor(tokenizer: unknown, { weights }: z.infer<typeof instructionsFile>) {
    this.#pieces = new WordPieces(tokenizer, LONGEST)
    this.#weights = new Int8Array(Buffer.from(weights, 'base64'))
    if (this.#pieces.largestId >= this.#weights.length)
      throw new Error(`there are weights for ${this.#weights.length} pieces, and ${this.#pieces.largestId + 1} pieces`)
  }

  /** Does one of them? What cannot be read here, for its length or its language, may. */
  areWork(texts: readonly string[]): boolean {
    let length = 0
    for (const text of texts) length += text.length
    return length > LONGEST || texts.some(text => this.#isWork(text))
  }

  #isWork(text: string): boolean {
    if (text.trim() === '') return false
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const found = isForeign(text) || this.#saysWork(text)
    this.#known.set(text, found)
    return found
  }

  #saysWork(text: string): boolean {
    const pieces = this.#pieces.encode(text).slice(1, -1)
    const length = Math.ceil(pieces.length / Math.ceil(pieces.length / PART))
    for (let from = 0; from < pieces.length; from += length) {
      let sum = 0
      for (const piece of pieces.slice(from, from + length)) sum += this.#weights[piece] ?? 0
      if (sum >= 0) return true
    }
    return false
  }
}

function isForeign(text: string): boolean {
  const sample = text.slice(0, SAMPLE)
  return languageOf(sample, tokensOf(sample)) !== 'en'
}
