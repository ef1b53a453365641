import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Embedder, Verdicts } from 'deflector'
import { decodeVector } from '../vector-text.ts'
import { IndexedEntries } from './indexed-entries.ts'
import {
  type AddMessage,
  type Considered,
  type FromEngine,
  type LookupMessage,
  MOST_JUDGED,
  type TextMessage,
} from './messages.ts'

/** The models that the engine has made. Without an embedder, vectors come along; without a judge, nothing is judged. */
export interface Models {
  readonly embedder?: Pick<Embedder, 'embed'> | undefined
  readonly judge?: Verdicts | undefined
}

/** A text to judge, and its cosine. */
interface Compared {
  readonly entry: Pick<AddMessage, 'handle' | 'text'>
  readonly similarity: number
}

/** Milliseconds after which new messages are read: one may say that a lookup is no longer awaited. */
const SLICE_MS = 2
/** Milliseconds that a lookup waits for adds that may have come before it: who asks twice in a row expects to be remembered. */
const ADDS_MS = 2
/** Lookups after which an add has its turn, however many more wait. */
const LOOKUPS_PER_ADD = 4
const WARM_UPS = 5
const WARM_UP = 'how do i see that it works?'

/**
 * The engine's work, one thing at a time: lookups in the order in which they came. Adds are done while no lookup waits, or
 * one that has just come, and now and then among many.
 */
export class Work {
  readonly #models: Models
  readonly #send: (message: FromEngine) => void
  readonly #entries: IndexedEntries
  readonly #lookups: LookupMessage[] = []
  readonly #adds = new Map<number, AddMessage>()
  /** The lookup being worked on. */
  #current: number | undefined
  #running = false
  #sliceEnd = 0

  constructor(models: Models, send: (message: FromEngine) => void) {
    this.#models = models
    this.#send = send
    this.#entries = new IndexedEntries(handle => send({ is: 'expired', handle }))
  }

  /** What runs for the first time is slow: the first lookup should not be. */
  async warmUp(): Promise<void> {
    for (let round = 0; round < WARM_UPS; round++) {
      await this.#models.embedder?.embed([WARM_UP])
      await this.#models.judge?.judge(WARM_UP, [WARM_UP])
    }
  }

  lookup(message: LookupMessage): void {
    this.#lookups.push(message)
    this.#run()
  }

  add(message: AddMessage): void {
    // Sent twice, it is indexed once.
    if (this.#adds.has(message.handle)) this.#send({ is: 'added', count: 1 })
    this.#adds.set(message.handle, message)
    this.#run()
  }

  remove(handle: number): void {
    if (this.#adds.delete(handle)) this.#send({ is: 'added', count: 1 })
    this.#entries.remove(handle)
  }

  clear(): void {
    if (this.#adds.size > 0) this.#send({ is: 'added', count: this.#adds.size })
    this.#adds.clear()
    this.#entries.clear()
  }

  /** Nobody awaits this lookup any more. */
  forget(id: number): void {
    if (this.#current === id) this.#current = undefined
    const at = this.#lookups.findIndex(lookup => lookup.id === id)
    if (at < 0) return
    this.#lookups.splice(at, 1)
    this.#send({ is: 'forgotten', id })
  }

  #run(): void {
    if (this.#running) return
    this.#running = true
    this.#sliceEnd = performance.now() + SLICE_MS
    void this.#work().finally(() => {
      this.#running = false
    })
  }

  async #work(): Promise<void> {
    let addUntil = performance.now() + ADDS_MS
    let inARow = 0
    for (;;) {
      const alone = this.#lookups.length === 1 && performance.now() < addUntil
      const addFirst = this.#adds.size > 0 && (alone || inARow >= LOOKUPS_PER_ADD)
      const lookup = addFirst ? undefined : this.#lookups.shift()
      if (lookup) {
        inARow++
        await this.#answer(lookup)
        addUntil = performance.now() + ADDS_MS
      } else {
        inARow = 0
        if (!(await this.#addNext())) return
      }
      if (this.#lookups.length === 0) addUntil = performance.now() + ADDS_MS
      await this.#yieldIfDue()
    }
  }

  async #answer(lookup: LookupMessage): Promise<void> {
    const { id } = lookup
    this.#current = id
    try {
      const vector = await this.#vectorOf(lookup)
      const { against } = lookup
      const candidates = against ? [await this.#compare(vector, against)] : this.#entries.search(vector, lookup)
      const considered = await this.#judge(lookup, candidates)
      this.#send({ is: 'answer', id, considered })
    } catch (error) {
      this.#send({ is: 'failed', id, reason: reasonOf(error) })
    }
  }

  async #compare(vector: Float32Array, against: TextMessage): Promise<Compared> {
    const other = await this.#vectorOf(against)
    const similarity = vector.reduce((sum, x, at) => sum + x * (other[at] ?? 0), 0)
    return { entry: { handle: 0, text: against.text }, similarity }
  }

  /** One candidate at a time, as the first hit ends the lookup, and so do `MOST_JUDGED` clear of rules. */
  async #judge({ id, text, judging, bar }: LookupMessage, candidates: readonly Compared[]): Promise<Considered[]> {
    const { judge } = this.#models
    if (!judge || judging === 'none')
      return candidates.map(({ entry: { handle }, similarity }) => ({ handle, similarity, probability: 1 }))
    const considered: Considered[] = []
    let judged = 0
    for (const { entry, similarity } of candidates) {
      if (this.#current !== id) break
      const [verdict] = await judge.judge(text, [entry.text])
      if (!verdict) throw new Error('the judge gave no verdict')
      const { probability, reason } = verdict
      considered.push({ handle: entry.handle, similarity, probability, reason })
      if (judging === 'first' && !reason && (probability >= bar || ++judged === MOST_JUDGED)) break
      await this.#yieldIfDue()
    }
    return considered
  }

  /** False when none is left. */
  async #addNext(): Promise<boolean> {
    const [first] = this.#adds
    if (!first) return false
    const [handle, add] = first
    try {
      const vector = await this.#vectorOf(add)
      // It may have been removed in the meantime.
      if (this.#adds.get(handle) === add) this.#entries.add(add, vector)
    } catch {
      // The entry is found by its canonical key.
    }
    if (this.#adds.get(handle) === add) {
      this.#adds.delete(handle)
      this.#send({ is: 'added', count: 1 })
    }
    return true
  }

  async #vectorOf({ text, vector: given }: TextMessage): Promise<Float32Array> {
    if (given !== undefined) return decodeVector(given)
    const [vector] = (await this.#models.embedder?.embed([text])) ?? []
    if (!vector) throw new Error('the embedder gave no vector')
    return vector
  }

  async #yieldIfDue(): Promise<void> {
    if (performance.now() < this.#sliceEnd) return
    await nextTurn()
    this.#sliceEnd = performance.now() + SLICE_MS
  }
}

/** Characters of a reason at most: a log line has its limits. */
const LONGEST_REASON = 1000

export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_REASON)
}
