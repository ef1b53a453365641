import { LineBuffer } from 'deflector/files'
import { Aggregates } from './aggregates.ts'
import type { UsageEvent } from './event.ts'

/** A batch with so many bytes takes no further line. */
const FULL = 64 << 10

/** Lines of one day that wait for the disk, and what they add up to. The events themselves are not kept. */
export class Batch {
  readonly sums = new Aggregates()
  readonly #lines = new LineBuffer()

  /** `day`: days since 1970. */
  constructor(readonly day: number) {}

  get bytes(): Uint8Array {
    return this.#lines.bytes
  }

  get length(): number {
    return this.#lines.length
  }

  get events(): number {
    return this.#lines.count
  }

  get isFull(): boolean {
    return this.#lines.length >= FULL
  }

  /** `at`: its time, in milliseconds since 1970. */
  add(event: UsageEvent, at: number): void {
    this.#lines.add(JSON.stringify(event))
    this.sums.add(event, this.day, at)
  }
}
