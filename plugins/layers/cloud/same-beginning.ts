import { isDeepStrictEqual } from 'node:util'
import { type AnswerBlock, type AnswerEvent, Assembler, type Usage } from 'deflector'

/** The new answer says something else than what was sent. */
export class Divergence extends Error {}

type Words = Extract<AnswerEvent, { type: 'text' | 'refusal' | 'reasoning' }>

/** What another answer may say again just so. Calls, signatures and what a vendor did have ids or proofs of their own. */
const REPEATABLE: ReadonlySet<AnswerEvent['type']> = new Set([
  'start',
  'text',
  'citation',
  'reasoning',
  'refusal',
  'usage',
  'unmodelled',
])

/** Might another answer begin with this one? Not where it has said why it stopped, either. */
export const mayComeAgain = (sent: readonly AnswerEvent[]): boolean => sent.every(({ type }) => REPEATABLE.has(type))

/**
 * Reads another answer to a prompt whose first one broke off, and gives what comes after `sent`. The new answer must
 * begin with exactly what was sent: the first difference throws a `Divergence`. Its usage comes once, at the end, with that
 * of the attempts before.
 */
export class SameBeginning {
  readonly #sent: readonly AnswerBlock[]
  #at = 0
  #offset = 0
  #citations = 0
  #usage: Usage | undefined

  constructor(
    sent: readonly AnswerEvent[],
    private readonly spent: Usage | undefined,
  ) {
    const assembler = new Assembler()
    for (const event of sent) assembler.add(event)
    this.#sent = assembler.completion().blocks
  }

  /** What of this event the client does not have yet. Throws `Divergence`. */
  push(event: AnswerEvent): AnswerEvent[] {
    switch (event.type) {
      case 'start':
        if (event.usage) this.#usage = event.usage
        return []
      case 'usage':
        this.#usage = { ...this.#usage, ...event.usage }
        return []
      case 'text':
      case 'refusal':
      case 'reasoning':
        return this.#words(event)
      case 'citation': {
        const block = this.#sent[this.#at]
        const known = block?.type === 'text' ? block.citations?.[this.#citations] : undefined
        if (known === undefined) return this.#new(event)
        if (!isDeepStrictEqual(known, event.citation)) throw new Divergence()
        this.#citations++
        return []
      }
      case 'signature':
      case 'tool_call':
      case 'tool_args':
      case 'opaque':
      case 'stop':
        return this.#new(event)
      case 'unmodelled':
        return [event]
      case 'end':
        return this.#ending(event)
    }
  }

  #words(event: Words): AnswerEvent[] {
    if (event.text === '') return []
    const { type, text } = event
    const block = this.#block(type)
    if (!block) return this.#new(event)
    if (block.type !== type) throw new Divergence()
    const rest = block.text.slice(this.#offset)
    const length = Math.min(rest.length, text.length)
    if (rest.slice(0, length) !== text.slice(0, length)) throw new Divergence()
    this.#offset += length
    if (length === text.length) return []
    // The words go on where the client has another block, or have facts that belong to all of them.
    if (this.#at < this.#sent.length - 1 || (type === 'text' && event.logprobs && length > 0)) throw new Divergence()
    return this.#new({ ...event, text: text.slice(length) })
  }

  /** The sent block that the next words have to repeat, if they are not news. */
  #block(type: Words['type']): AnswerBlock | undefined {
    const block = this.#sent[this.#at]
    if (!block || !this.#isRepeated(block)) return block
    if (block.type === type) return this.#at < this.#sent.length - 1 ? block : undefined
    this.#next()
    return this.#sent[this.#at]
  }

  /** All of a block has come again. */
  #isRepeated(block: AnswerBlock): boolean {
    switch (block.type) {
      case 'text':
        return this.#offset === block.text.length && this.#citations === (block.citations?.length ?? 0)
      case 'refusal':
      case 'reasoning':
        return this.#offset === block.text.length
      default:
        return false
    }
  }

  #next(): void {
    this.#at++
    this.#offset = 0
    this.#citations = 0
  }

  /** Where the vendor counted nothing, the attempts before are not all that it cost. */
  #ending(end: AnswerEvent): AnswerEvent[] {
    const usage = this.#usage && sum(this.spent, this.#usage)
    return usage ? [{ type: 'usage', usage }, end] : [end]
  }

  /** Something that was not sent: all that was sent must have come again. */
  #new<E extends AnswerEvent>(event: E): E[] {
    const last = this.#sent[this.#at]
    const done = !last || (this.#at === this.#sent.length - 1 && this.#isRepeated(last))
    if (!done) throw new Divergence()
    return [event]
  }
}

/** What two attempts cost together. */
export function sum(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (!one || !other) return one ?? other
  const tier = other.tier ?? one.tier
  const both: { -readonly [K in keyof Usage]: Usage[K] } = {
    ...(tier !== undefined && { tier }),
    input: one.input + other.input,
    output: one.output + other.output,
    ...((one.guessed || other.guessed) && { guessed: true }),
  }
  for (const key of ['cacheRead', 'cacheWrite', 'cacheWriteLong', 'reasoning'] as const)
    if (one[key] !== undefined || other[key] !== undefined) both[key] = (one[key] ?? 0) + (other[key] ?? 0)
  return both
}
