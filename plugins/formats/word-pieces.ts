import { z } from 'zod'

/** The parts of a `tokenizer.json` that an uncased BERT has. Other tokenizers do not fit and are refused. */
const tokenizerFile = z.object({
  added_tokens: z.array(z.object({ id: z.number(), content: z.string().min(1) })).default([]),
  normalizer: z.object({
    type: z.literal('BertNormalizer'),
    clean_text: z.literal(true),
    handle_chinese_chars: z.literal(true),
    strip_accents: z.union([z.null(), z.literal(true)]),
    lowercase: z.literal(true),
  }),
  pre_tokenizer: z.object({ type: z.literal('BertPreTokenizer') }),
  post_processor: z.object({
    type: z.literal('TemplateProcessing'),
    single: z.array(
      z.union([
        z.object({ SpecialToken: z.object({ id: z.string() }) }),
        z.object({ Sequence: z.object({ id: z.literal('A') }) }),
      ]),
    ),
    special_tokens: z.record(z.string(), z.object({ ids: z.array(z.number()) })),
  }),
  model: z.object({
    type: z.literal('WordPiece'),
    unk_token: z.string(),
    continuing_subword_prefix: z.string(),
    max_input_chars_per_word: z.number().int().positive(),
    vocab: z.record(z.string(), z.number()),
  }),
})

/** Nothing is read past this many characters: the tokens that count are long complete. */
const MAX_CHARS = 1 << 16

/**
 * Text to token ids, as the uncased BERT tokenizer of the transformers libraries does it: clean, lower case, no accents,
 * split at spaces and punctuation, then the longest known pieces of each word.
 *
 * `maxTokens` counts the special tokens, and cuts like the JavaScript library does: whatever stands last goes first.
 */
export class WordPieces {
  readonly #begin: readonly number[]
  readonly #end: readonly number[]
  readonly #unknown: number
  readonly #maxWord: number
  readonly #added: ReadonlyMap<string, number>
  readonly #addedPattern: RegExp | undefined
  readonly #starts = new Map<string, number>()
  readonly #continuations = new Map<string, number>()
  /** Characters that some token has: a word with another one is unknown, which is cheap to see. */
  readonly #alphabet = new Set<string>()
  readonly #longest: number

  constructor(
    file: unknown,
    readonly maxTokens: number,
  ) {
    const { model, added_tokens, post_processor } = tokenizerFile.parse(file)
    const prefix = model.continuing_subword_prefix
    let longest = 0
    for (const [token, id] of Object.entries(model.vocab)) {
      this.#starts.set(token, id)
      if (token.startsWith(prefix)) {
        this.#continuations.set(token.slice(prefix.length), id)
      }
      for (const char of token) this.#alphabet.add(char)
      longest = Math.max(longest, token.length)
    }
    this.#longest = longest
    this.#maxWord = model.max_input_chars_per_word
    this.#added = new Map(added_tokens.map(({ content, id }) => [content, id]))
    for (const [token, id] of this.#added) this.#starts.set(token, id)
    this.#unknown = this.#starts.get(model.unk_token) ?? 0
    if (this.#added.size > 0) this.#addedPattern = new RegExp(`(${[...this.#added.keys()].map(escaped).join('|')})`)

    const template = post_processor.single
    const sequence = template.findIndex(part => 'Sequence' in part)
    const ids = (part: (typeof template)[number]): number[] =>
      'SpecialToken' in part ? (post_processor.special_tokens[part.SpecialToken.id]?.ids ?? []) : []
    this.#begin = template.slice(0, sequence).flatMap(ids)
    this.#end = template.slice(sequence + 1).flatMap(ids)
  }

  /** The id of a word that has no pieces. */
  get unknown(): number {
    return this.#unknown
  }

  /** Largest id that can come out. */
  get largestId(): number {
    let largest = 0
    for (const id of this.#starts.values()) largest = Math.max(largest, id)
    return largest
  }

  encode(text: string): number[] {
    const ids = [...this.#begin]
    const known = text.length > MAX_CHARS ? text.slice(0, MAX_CHARS) : text
    for (const section of this.#sections(known)) {
      const added = this.#added.get(section)
      if (added !== undefined) ids.push(added)
      else this.#encodeSection(section, ids)
    }
    ids.push(...this.#end)
    if (ids.length > this.maxTokens) ids.length = this.maxTokens
    return ids
  }

  /** Special tokens that stand in the text as such count as themselves. */
  #sections(text: string): readonly string[] {
    return this.#addedPattern?.test(text) ? text.split(this.#addedPattern) : [text]
  }

  #encodeSection(section: string, ids: number[]): void {
    for (const [word] of normalised(section).matchAll(WORDS)) {
      if (ids.length >= this.maxTokens) return
      const whole = this.#starts.get(word)
      if (whole !== undefined && word.length <= this.#maxWord) ids.push(whole)
      else this.#encodeWord(word, ids)
    }
  }

  #encodeWord(word: string, ids: number[]): void {
    const chars = [...word]
    if (chars.length > this.#maxWord || chars.some(char => !this.#alphabet.has(char))) {
      ids.push(this.#unknown)
      return
    }
    const before = ids.length
    for (let begin = 0; begin < word.length; ) {
      const table = begin === 0 ? this.#starts : this.#continuations
      let id: number | undefined
      let end = Math.min(word.length, begin + this.#longest)
      for (; end > begin; end--) {
        id = table.get(word.slice(begin, end))
        if (id !== undefined) break
      }
      if (id === undefined) {
        ids.length = before
        ids.push(this.#unknown)
        return
      }
      ids.push(id)
      begin = end
    }
  }
}

const PUNCTUATION = '\\p{P}\\u0021-\\u002F\\u003A-\\u0040\\u005B-\\u0060\\u007B-\\u007E'
const WORDS = new RegExp(`[^\\s${PUNCTUATION}]+|[${PUNCTUATION}]`, 'gu')

/** Nothing that the steps below would touch: printable ASCII with plain spaces. */
const PLAIN = /^[\t\n\r -~]*$/
/** Controls, format characters, private use and lone surrogates, but not what counts as a space. */
const UNSEEN = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\uFFFD]/gu
/** In the basic plane only: the library looks at UTF-16 units, so the rarer ideographs beyond are words like others. */
const IDEOGRAPH = /[\u4E00-\u9FFF\u3400-\u4DBF\uF900-\uFAFF]/g
const ACCENTS = /[\u0300-\u036F]/g

function normalised(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase()
  return text.replace(UNSEEN, '').replace(IDEOGRAPH, ' $& ').toLowerCase().normalize('NFD').replace(ACCENTS, '')
}

const escaped = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
