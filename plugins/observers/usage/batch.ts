import { Aggregates } from './aggregates.ts'
import type { UsageEvent } from './event.ts'

/** A batch begins with so many bytes, and takes no further line beyond them. */
const BYTES = 64 << 10

/**
 * Lines of one day that wait for the disk, and their sums. The events themselves are gone: objects that wait are copied
 * by the collector again and again, bytes are not.
 */
export class Batch {
  /** What its lines add up to. */
  readonly sums = new Aggregates()
  lines = 0
  #bytes = Buffer.allocUnsafeSlow(BYTES)
  #length = 0

  /** `day`: days since 1970. */
  constructor(readonly day: number) {}

  /** The lines. Not to be kept: a further line may follow. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  get isFull(): boolean {
    return this.#length >= BYTES
  }

  add(event: UsageEvent): void {
    const line = `${JSON.stringify(event)}\n`
    const most = 3 * line.length // of UTF-8, for each unit of UTF-16
    if (most > this.#bytes.length - this.#length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.#length + most))
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    this.#length += this.#bytes.write(line, this.#length)
    this.lines++
    this.sums.add(event, this.day)
  }
}
