import { GatewayError, toGatewayError } from '../errors.ts'
import { yieldInBursts } from '../json/time-slices.ts'
import { pointOn } from '../moved.ts'
import { type AnswerFacts, type LiveAnswer, oneByOne, type Progress, type WholeAnswer, wholeAnswer } from './answer.ts'
import type { AnswerEvent } from './answer-event.ts'
import { Assembler } from './assemble.ts'
import type { Frame } from './stream.ts'
import type { StreamRecord } from './stream-form.ts'

/** Bytes of frames that are kept for those who join late. Beyond it the first reader goes on, and no other may join. */
const JOIN_LIMIT = 1 << 20
/** Bytes beyond which an answer is passed on but no longer assembled, so never stored. */
const ASSEMBLY_LIMIT = 32 << 20

export interface LiveFacts {
  /** Format of the frames' `wire`. */
  readonly format: string
  /** What has come already; `source` goes on behind it. */
  readonly begun?: readonly Frame[]
  /**
   * Must end normally only after the terminal event; what it throws ends the answer for everybody. Frames that came
   * together are best given together: each list is passed on at once.
   */
  readonly source: AsyncIterable<Frame | readonly Frame[]>
  readonly headers?: Readonly<Record<string, string>>
  /** Gathers the frames as they are to be kept. Absent: the canonical answer is kept, unless that loses something. */
  readonly record?: StreamRecord | undefined
}

/** A live answer that any number of clients can read from the first frame on, while it is assembled beside them. */
export const liveAnswer = (facts: LiveFacts): LiveAnswer => new Relay(facts)

interface Link {
  readonly frames: readonly Frame[]
  next?: Link
}

/** Frames form a linked list: each reader holds its own place, so what all have read is free to go. */
class Relay implements LiveAnswer {
  readonly kind = 'live'
  readonly format: string
  readonly facts: AnswerFacts
  readonly whole: Promise<WholeAnswer>
  readonly #upstream: AsyncIterator<Frame | readonly Frame[]>
  readonly #record: StreamRecord | undefined
  readonly #assembler = new Assembler()
  #keep: (answer: WholeAnswer) => void = () => {}
  #refuse: (why: GatewayError) => void = () => {}
  #head: Link | undefined = { frames: [] }
  #tail: Link = this.#head as Link
  #bytes = 0
  #isRead = false
  #ended = false
  #failure: GatewayError | undefined
  #pulling: Promise<void> | undefined
  #firstTokenAt: number | undefined
  #received = 0
  #chunks = 0

  constructor({ format, begun, source, headers, record }: LiveFacts) {
    this.format = format
    this.#record = record
    this.facts = { headers }
    this.#upstream = source[Symbol.asyncIterator]()
    this.whole = new Promise((resolve, reject) => {
      this.#keep = resolve
      this.#refuse = reject
    })
    this.whole.catch(() => {}) // a rejection may have no listener
    if (begun) this.#take(begun)
  }

  get joinable(): boolean {
    return this.#bytes <= JOIN_LIMIT
  }

  get progress(): Progress {
    return {
      usage: this.#assembler.usage,
      received: this.#received,
      chunks: this.#chunks,
      firstTokenAt: this.#firstTokenAt,
      complete: this.#ended && this.#failure === undefined,
    }
  }

  frames(): AsyncGenerator<Frame> {
    return oneByOne(this.batches())
  }

  batches(): AsyncGenerator<readonly Frame[]> {
    const head = this.#head
    if (!head) throw new GatewayError('internal', 'this answer is too large to be joined')
    this.#isRead = true
    this.#letGo()
    return this.#read(head)
  }

  async *#read(at: Link): AsyncGenerator<readonly Frame[]> {
    const yieldIfDue = yieldInBursts()
    for (;;) {
      if (at.next) {
        at = at.next
        const wait = yieldIfDue()
        if (wait) await wait
        yield at.frames
      } else if (!this.#ended) await this.#pull()
      else if (this.#failure) throw this.#failure
      else return
    }
  }

  /** The fastest reader asks for the next frame; the others who are as far wait for the same. */
  #pull(): Promise<void> {
    this.#pulling ??= this.#advance()
    return this.#pulling
  }

  async #advance(): Promise<void> {
    try {
      const { value, done } = await this.#upstream.next()
      if (done) this.#end()
      else this.#take('wire' in value ? [value] : value)
    } catch (error) {
      this.#end(error)
    }
    this.#pulling = undefined
  }

  #take(frames: readonly Frame[]): void {
    for (const { events, wire, joined } of frames) {
      this.#bytes += wire.length
      this.#record?.add(joined ?? wire)
      const isKept = this.#bytes <= ASSEMBLY_LIMIT
      let hasContent = false
      for (const event of events) {
        hasContent ||= CONTENT.has(event.type)
        if ('text' in event) this.#received += event.text.length
        if (isKept || event.type === 'end') this.#assembler.add(event)
      }
      if (!hasContent) continue
      this.#firstTokenAt ??= performance.now()
      this.#chunks++
    }
    this.#letGo()
    this.#tail = this.#tail.next = { frames }
  }

  /** What came before the first reader is kept for that reader, however large it is. */
  #letGo(): void {
    if (this.#isRead && !this.joinable) this.#head = undefined
  }

  #end(error?: unknown): void {
    this.#ended = true
    if (error === undefined && !this.#assembler.ended)
      error = new GatewayError('upstream_failed', 'the provider ended the stream before its terminal event')
    if (error !== undefined) {
      this.#failure = toGatewayError(error)
      this.#refuse(this.#failure)
    } else this.#settle()
  }

  #settle(): void {
    const { format } = this
    const text = this.#record?.text()
    const isLost = this.#record ? text === undefined : this.#assembler.unmodelled
    if (isLost || this.#bytes > ASSEMBLY_LIMIT) {
      this.#refuse(new GatewayError('unanswered', 'the answer was passed on and cannot be kept'))
    } else {
      const stream = text === undefined ? undefined : { format, text }
      this.#keep(wholeAnswer({ completion: this.#assembler.completion(), stream }))
    }
  }
}

const CONTENT: ReadonlySet<AnswerEvent['type']> = new Set(['text', 'reasoning', 'refusal', 'tool_call'])

pointOn('answer', Relay.prototype)
