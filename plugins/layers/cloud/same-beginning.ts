import { isDeepStrictEqual } from 'node:util'
import { type AnswerBlock, type AnswerEvent, Assembler, type Usage } from 'deflector'

/** The new answer says something else than what was sent. */
export class Divergence extends Error {}

type Words = Extract<AnswerEvent, { type: 'text' | 'refusal' | 'reasoning' }>
type Call = Extract<AnswerBlock, { type: 'tool_call' }>

/** A call that was sent, and how much of its arguments has come again. */
interface SentCall {
  readonly block: Call
  /** Its index in what was sent. */
  readonly index: number
  matched: number
}

/**
 * Reads another answer to a prompt whose first one broke off, and gives what comes after `sent`. The new answer must
 * begin with exactly what was sent, ids and signatures included: the first difference throws a `Divergence`. Its usage
 * comes once, at the end, with that of the attempts before.
 */
export class SameBeginning {
  readonly #sent: readonly AnswerBlock[]
  readonly #sentCalls: readonly SentCall[]
  /** Calls of the new answer, by its own index: the one that was sent, or the index that a new one gets. */
  readonly #calls = new Map<number, SentCall | number>()
  #nextCall: number
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
    const indexes = sent.flatMap(event => (event.type === 'tool_call' ? [event.index] : []))
    const blocks = this.#sent.filter(block => block.type === 'tool_call')
    this.#sentCalls = blocks.map((block, at) => ({ block, index: indexes[at] ?? at, matched: 0 }))
    this.#nextCall = Math.max(-1, ...indexes) + 1
  }

  /** What the new answer has cost so far, with the attempts before. */
  get usage(): Usage | undefined {
    return sum(this.spent, this.#usage)
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
      case 'signature':
        return this.#signature(event)
      case 'citation': {
        const block = this.#sent[this.#at]
        const known = block?.type === 'text' ? block.citations?.[this.#citations] : undefined
        if (known === undefined) return this.#new(event)
        if (!isDeepStrictEqual(known, event.citation)) throw new Divergence()
        this.#citations++
        return []
      }
      case 'tool_call':
        return this.#call(event)
      case 'tool_args':
        return this.#args(event.index, event.text)
      case 'opaque': {
        const block = this.#block()
        if (!block) return this.#new(event)
        if (!isDeepStrictEqual(block, event)) throw new Divergence()
        this.#next()
        return []
      }
      case 'stop':
        return this.#new(event)
      case 'unmodelled':
        return [event]
      case 'end':
        return this.usage ? [{ type: 'usage', usage: this.usage }, event] : [event]
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

  #signature(event: Extract<AnswerEvent, { type: 'signature' }>): AnswerEvent[] {
    const { type: _, ...proof } = event
    const block = event.redacted === undefined ? this.#sent[this.#at] : this.#block()
    if (!block) return this.#new(event)
    if (block.type !== 'reasoning') throw new Divergence()
    const { type: __, text, ...sent } = block
    // Unsigned reasoning was sent last: its proof is news.
    if (Object.keys(sent).length === 0 && event.redacted === undefined) return this.#new(event)
    if (this.#offset < text.length || !isDeepStrictEqual({ ...sent }, { ...proof })) throw new Divergence()
    this.#next()
    return []
  }

  #call(event: Extract<AnswerEvent, { type: 'tool_call' }>): AnswerEvent[] {
    const { index, ...head } = event
    const block = this.#block()
    if (!block) {
      this.#calls.set(index, this.#nextCall)
      return this.#new({ ...event, index: this.#nextCall++ })
    }
    const sent = this.#sentCalls.find(call => call.block === block)
    if (block.type !== 'tool_call' || !sent || !isDeepStrictEqual({ ...head, args: block.args }, block))
      throw new Divergence()
    this.#calls.set(index, sent)
    this.#next()
    return []
  }

  #args(index: number, text: string): AnswerEvent[] {
    const call = this.#calls.get(index)
    if (call === undefined) throw new Divergence()
    if (typeof call === 'number') return [{ type: 'tool_args', index: call, text }]
    const { block } = call
    const rest = block.args.slice(call.matched)
    const length = Math.min(rest.length, text.length)
    if (rest.slice(0, length) !== text.slice(0, length)) throw new Divergence()
    call.matched += length
    if (length === text.length) return []
    // A client that has something else behind the call takes no more of its arguments.
    if (this.#sent.slice(this.#sent.indexOf(block)).some(({ type }) => type !== 'tool_call')) throw new Divergence()
    return [{ type: 'tool_args', index: call.index, text: text.slice(length) }]
  }

  /** The sent block that the next event has to repeat. `type`: words of this type may belong to the block at hand. */
  #block(type?: Words['type']): AnswerBlock | undefined {
    const block = this.#sent[this.#at]
    if (!block || !this.#isRepeated(block)) return block
    if (block.type === type) return this.#at < this.#sent.length - 1 ? block : undefined
    this.#next()
    return this.#sent[this.#at]
  }

  /** All of a block of words has come again. Other blocks are left behind as they come. */
  #isRepeated(block: AnswerBlock): boolean {
    switch (block.type) {
      case 'text':
        return this.#offset === block.text.length && this.#citations === (block.citations?.length ?? 0)
      case 'refusal':
        return this.#offset === block.text.length
      case 'reasoning':
        return this.#offset === block.text.length && block.signature === undefined && block.redacted === undefined
      default:
        return false
    }
  }

  #next(): void {
    this.#at++
    this.#offset = 0
    this.#citations = 0
  }

  /** Something that was not sent: all that was sent must have come again. */
  #new<E extends AnswerEvent>(event: E): E[] {
    const last = this.#sent[this.#at]
    const done = !last || (this.#at === this.#sent.length - 1 && this.#isRepeated(last))
    const calls = this.#sentCalls.every(({ block, matched }) => matched === block.args.length)
    if (!done || !calls) throw new Divergence()
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
  }
  for (const key of ['cacheRead', 'cacheWrite', 'cacheWriteLong', 'reasoning'] as const)
    if (one[key] !== undefined || other[key] !== undefined) both[key] = (one[key] ?? 0) + (other[key] ?? 0)
  return both
}
