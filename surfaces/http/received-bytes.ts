import { joinInTurns } from 'deflector'

/**
 * Up to this many bytes are joined when all are there. Beyond them all that is announced is allocated at once, so an
 * announcement alone costs nothing. The caller bounds it, and pages that are not written to yet take no memory.
 */
const SMALL = 1 << 20

/** The bytes of a body, as they come. */
export class ReceivedBytes {
  /** How many have come. */
  size = 0
  readonly #announced: number
  #chunks: Buffer[] = []
  /** All of them, of a large body whose length is known: each chunk is copied as it comes, and not kept. */
  #whole: Buffer | undefined

  /** @param announced how many there will be; 0 when nobody knows */
  constructor(announced: number) {
    this.#announced = announced
  }

  add(chunk: Buffer): void {
    if (this.#whole) this.#whole.set(chunk, this.size)
    else this.#chunks.push(chunk)
    this.size += chunk.length
    if (!this.#whole && this.size > SMALL && this.#announced > this.size) this.#gather()
  }

  #gather(): void {
    const whole = Buffer.allocUnsafeSlow(this.#announced)
    let at = 0
    for (const chunk of this.#chunks) {
      whole.set(chunk, at)
      at += chunk.length
    }
    this.#chunks = []
    this.#whole = whole
  }

  /** To be called once, when the last ones have come. */
  joined(): Uint8Array | Promise<Uint8Array> {
    if (this.#whole) return this.#whole.subarray(0, this.size)
    const [first] = this.#chunks
    if (this.#chunks.length === 1 && first) return first
    return this.size > SMALL ? joinInTurns(this.#chunks) : Buffer.concat(this.#chunks, this.size)
  }
}
