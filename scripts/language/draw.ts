/** Draws that a seed fixes: a linear congruential generator with the constants of Numerical Recipes. */
export class Draw {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  share(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return this.#state / 2 ** 32
  }

  below = (count: number): number => Math.floor(this.share() * count)
  from1 = (most: number): number => 1 + this.below(most)
  chance = (share: number): boolean => this.share() < share

  of<T>(list: readonly T[]): T {
    const one = list[this.below(list.length)]
    if (one === undefined) throw new Error('nothing to draw from')
    return one
  }

  /** Up to `most` neighbours of the list. */
  part<T>(list: readonly T[], most: number): readonly T[] {
    const length = this.from1(most)
    const from = this.below(Math.max(1, list.length - length + 1))
    return list.slice(from, from + length)
  }

  /** With one to `most` of the others together somewhere among them. */
  mixed<T>(list: readonly T[], others: readonly T[], most: number): readonly T[] {
    const at = this.below(list.length + 1)
    const put = Array.from({ length: this.from1(most) }, () => this.of(others))
    return [...list.slice(0, at), ...put, ...list.slice(at)]
  }

  shuffle<T>(list: T[]): void {
    for (let i = list.length - 1; i > 0; i--) {
      const at = this.below(i + 1)
      const [one, other] = [list[i], list[at]]
      if (one === undefined || other === undefined) continue
      list[i] = other
      list[at] = one
    }
  }
}
