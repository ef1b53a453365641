/** The last so many items. */
export class Ring<T> {
  readonly #items: T[] = []
  readonly #most: number
  #next = 0

  constructor(most: number) {
    this.#most = most
  }

  push(item: T): void {
    this.#items[this.#next] = item
    this.#next = (this.#next + 1) % this.#most
  }

  /** Newest first. */
  last(limit: number): T[] {
    const { length } = this.#items
    return Array.from({ length: Math.min(limit, length) }, (_, age) => {
      const at = (this.#next - 1 - age + length) % length
      return this.#items[at]
    }).filter(item => item !== undefined)
  }
}
