/** Of a new buffer. */
const FIRST_BYTES = 16 << 10

/** Lines that wait for a file, as bytes: strings and objects that wait are copied by the collector again and again. */
export class LineBuffer {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #length = 0
  #count = 0

  /** Number of lines. */
  get count(): number {
    return this.#count
  }

  get length(): number {
    return this.#length
  }

  /** Not to be kept: a further line may move them. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** `line`: without its line break. */
  add(line: string): void {
    const most = 3 * line.length + 1 // UTF-8 has three bytes at most for each unit of UTF-16
    if (most > this.#bytes.length - this.#length) this.#grow(this.#length + most)
    this.#length += this.#bytes.write(line, this.#length)
    this.#length += this.#bytes.write('\n', this.#length)
    this.#count++
  }

  #grow(least: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, least))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
