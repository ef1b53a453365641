import type { AddMessage } from './messages.ts'

/** Most entries that the engine has been sent and has not indexed. */
const WINDOW = 64

/** The entries as the engine sees them. */
export interface EntrySource {
  /** Of all entries that can be compared; an iterator bears that they change meanwhile. */
  handles(): Iterable<number>
  /** `undefined` when the entry was removed. */
  indexed(handle: number): AddMessage | undefined
  expire(handle: number): void
}

/**
 * Entries on their way into the index. The engine gets a few at a time, so that many never delay its lookups, and a
 * rebuild is done in slices of a fraction of a millisecond.
 */
export class WriteBack {
  readonly #send: (add: AddMessage) => void
  #source: EntrySource | undefined
  /** New ones. No more than there are entries, as those that are removed leave. */
  readonly #fresh = new Set<number>()
  /** Kept between calls: a new iterator would step over the empty places of all that were sent. */
  #next = this.#fresh.values()
  /** What is sent again after a restart. It waits for no client, so it goes last. */
  #old: Iterator<number, undefined> | undefined
  #sent = 0

  constructor(send: (add: AddMessage) => void) {
    this.#send = send
  }

  /** A new engine has nothing yet. */
  restart(source: EntrySource | undefined): void {
    this.#sent = 0
    this.rebuild(source)
  }

  /** Sends all entries. */
  rebuild(source: EntrySource | undefined): void {
    this.clear()
    this.#source = source
    this.#old = source?.handles()[Symbol.iterator]()
    this.#pump()
  }

  add(handle: number): void {
    this.#fresh.add(handle)
    this.#pump()
  }

  remove(handle: number): void {
    this.#fresh.delete(handle)
  }

  clear(): void {
    this.#fresh.clear()
    this.#old = undefined
  }

  /** The engine has indexed, or dropped, so many. */
  done(count: number): void {
    this.#sent -= count
    this.#pump()
  }

  #pump(): void {
    while (this.#sent < WINDOW) {
      const handle = this.#takeFresh() ?? this.#old?.next().value
      if (handle === undefined) return
      const add = this.#source?.indexed(handle)
      if (!add) continue
      this.#sent++
      this.#send(add)
    }
  }

  #takeFresh(): number | undefined {
    if (this.#fresh.size === 0) return undefined
    let next = this.#next.next()
    if (next.done) {
      this.#next = this.#fresh.values()
      next = this.#next.next()
    }
    if (next.done) return undefined
    this.#fresh.delete(next.value)
    return next.value
  }
}
