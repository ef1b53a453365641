import type { Draw } from './draw.ts'

/** How frequent words are in each language, and what that says of them. */
export class Vocabulary {
  readonly #frequencies = new Map<string, Map<string, number>>()
  /** The highest in another language than English. */
  readonly #elsewhere = new Map<string, number>()

  /** Lines of a language, a word, and hundredths of powers of ten below one. */
  constructor(lines: readonly string[]) {
    for (const line of lines) {
      const [language = '', word = '', hundredths = ''] = line.split('\t')
      const frequency = 10 ** (-Number(hundredths) / 100)
      const words = this.#frequencies.get(language) ?? new Map<string, number>()
      this.#frequencies.set(language, words.set(word, frequency))
      if (language !== 'en') this.#elsewhere.set(word, Math.max(this.#other(word), frequency))
    }
  }

  get languages(): readonly string[] {
    return [...this.#frequencies.keys()]
  }

  #english = (word: string): number => this.#frequencies.get('en')?.get(word) ?? 0
  #other = (word: string): number => this.#elsewhere.get(word) ?? 0

  isEnglish = (word: string): boolean => this.#english(word) > 1e-6
  isEnglishAlone = (word: string): boolean => this.isEnglish(word) && this.#english(word) > 10 * this.#other(word)

  /** Draws a word of a language by the root of its frequency. Lists hold words of other languages, too: those are left out. */
  drawer(language: string, draw: Draw): () => string {
    const isOwn = (word: string, frequency: number): boolean =>
      language === 'en' ? this.#other(word) <= 20 * frequency : this.#english(word) <= frequency
    const words = [...(this.#frequencies.get(language) ?? [])].filter(([word, frequency]) => isOwn(word, frequency))
    let sum = 0
    const sums = words.map(([, frequency]) => (sum += Math.sqrt(frequency)))
    return () => words[firstAbove(sums, draw.share() * sum)]?.[0] ?? ''
  }

  /** Words of other languages that are rather rare: many are names. */
  names(): string[] {
    return [...this.#frequencies]
      .filter(([language]) => language !== 'en')
      .flatMap(([, words]) => [...words.keys()].slice(3000, 30_000).filter(word => word.length > 3))
  }

  /** Words of English lines that several languages have, or none: of products, programs, sciences. Frequent ones stand more often. */
  terms(lines: readonly (readonly string[])[]): string[] {
    const counts = new Map<string, number>()
    for (const word of lines.flat()) counts.set(word, (counts.get(word) ?? 0) + 1)
    return [...counts]
      .filter(([word, count]) => count >= 4 && word.length > 2 && this.#english(word) < 1e-4 && this.#isShared(word))
      .flatMap(([word, count]) => new Array<string>(Math.ceil(Math.sqrt(count))).fill(word))
  }

  #isShared(word: string): boolean {
    const english = this.#english(word)
    let languages = 0
    for (const [language, words] of this.#frequencies)
      if (language !== 'en' && (words.get(word) ?? 0) > english / 5) languages++
    return languages >= 3 || (english === 0 && languages === 0)
  }
}

function firstAbove(sums: readonly number[], wanted: number): number {
  let [from, to] = [0, sums.length - 1]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sums[middle] ?? 0) < wanted) from = middle + 1
    else to = middle
  }
  return from
}
