/** The slots with the `count` largest values. Most offers fail at the first comparison. */
export class Best {
  readonly slots: number[] = []
  readonly #values: number[] = []
  readonly #count: number

  constructor(count: number) {
    this.#count = count
  }

  offer(slot: number, value: number): void {
    if (this.slots.length === this.#count && value <= (this.#values[this.#count - 1] ?? 0)) return
    let at = Math.min(this.slots.length, this.#count - 1)
    while (at > 0 && (this.#values[at - 1] ?? 0) < value) {
      this.#values[at] = this.#values[at - 1] ?? 0
      this.slots[at] = this.slots[at - 1] ?? 0
      at--
    }
    this.#values[at] = value
    this.slots[at] = slot
  }
}
