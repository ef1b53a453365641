/** Most pairs kept. */
const MOST = 10_000

/** Pairs of canonical keys that were found to be wrong: neither prompt gets the other's answer, whatever the judge says. */
export class SeparatedPairs {
  /** In order of age. */
  readonly #pairs: (readonly [string, string])[] = []
  readonly #partners = new Map<string, Set<string>>()

  add(one: string, other: string): void {
    if (this.has(one, other)) return
    if (this.#pairs.length >= MOST) this.#removeOldest()
    this.#pairs.push([one, other])
    this.#link(one, other)
    this.#link(other, one)
  }

  has(one: string, other: string): boolean {
    return this.#partners.get(one)?.has(other) ?? false
  }

  all(): readonly (readonly [string, string])[] {
    return [...this.#pairs]
  }

  partnersOf(one: string): readonly string[] {
    return [...(this.#partners.get(one) ?? [])]
  }

  #link(one: string, other: string): void {
    const partners = this.#partners.get(one) ?? new Set()
    this.#partners.set(one, partners.add(other))
  }

  #removeOldest(): void {
    const [one = '', other = ''] = this.#pairs.shift() ?? []
    this.#unlink(one, other)
    this.#unlink(other, one)
  }

  #unlink(one: string, other: string): void {
    const partners = this.#partners.get(one)
    partners?.delete(other)
    if (partners?.size === 0) this.#partners.delete(one)
  }
}
