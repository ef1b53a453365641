/** Words that stand for an operator, longest first. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bto the power of\b/g, '^'],
  [/\b(?:multiplied by|times)\b/g, '*'],
  [/\b(?:divided by|over)\b/g, '/'],
  [/\bplus\b/g, '+'],
  [/\bminus\b/g, '-'],
  [/(?<=\d)\s*[x×]\s*(?=[\d(])/g, '*'],
  [/÷/g, '/'],
  [/[−–]/g, '-'],
  [/(?<=\d),(?=\d{3}\b)/g, ''],
]

export interface Sum {
  readonly expression: string
  /** `undefined` for a division by zero. */
  readonly value: number | undefined
}

/** The sum that a text asks for: "what is 17 * 23?", "(2 + 3) times 4". `undefined` when there is none. */
export function findSum(text: string): Sum | undefined {
  let plain = text.toLowerCase()
  for (const [word, operator] of WORDS) plain = plain.replace(word, operator === '' ? '' : ` ${operator} `)
  const candidates = plain.match(/[\d(][\d\s.+\-*/^%()]*[\d)]/g) ?? []
  for (const candidate of candidates) {
    const tokens = candidate.match(/\d+(?:\.\d+)?|[+\-*/^%()]/g) ?? []
    // Three tokens are the shortest sum; a date or a version has no spaces around its signs.
    if (tokens.length < 3 || /\d[-/]\d+[-/]\d/.test(candidate) || /\d\.\d+\.\d/.test(candidate)) continue
    const value = new Parser(tokens).whole()
    if (value !== undefined) return { expression: tokens.join(' '), value: Number.isFinite(value) ? value : undefined }
  }
  return undefined
}

/** At most 12 digits, so that 0.1 + 0.2 reads as people expect. */
export const shown = (value: number): string => String(Number(value.toPrecision(12)))

/** Recursive descent: sums of products of powers. Any method gives `undefined` where the text is no sum. */
class Parser {
  #at = 0
  readonly #tokens: readonly string[]

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  whole(): number | undefined {
    const value = this.#sum()
    return this.#at === this.#tokens.length ? value : undefined
  }

  #take(...wanted: string[]): string | undefined {
    const token = this.#tokens[this.#at]
    if (token === undefined || !wanted.includes(token)) return undefined
    this.#at++
    return token
  }

  #sum(): number | undefined {
    let left = this.#product()
    for (let sign = this.#take('+', '-'); sign !== undefined; sign = this.#take('+', '-')) {
      const right = this.#product()
      if (left === undefined || right === undefined) return undefined
      left = sign === '+' ? left + right : left - right
    }
    return left
  }

  #product(): number | undefined {
    let left = this.#power()
    for (let sign = this.#take('*', '/', '%'); sign !== undefined; sign = this.#take('*', '/', '%')) {
      const right = this.#power()
      if (left === undefined || right === undefined) return undefined
      left = sign === '*' ? left * right : sign === '/' ? left / right : left % right
    }
    return left
  }

  #power(): number | undefined {
    const base = this.#atom()
    if (base === undefined || this.#take('^') === undefined) return base
    const exponent = this.#power()
    return exponent === undefined ? undefined : base ** exponent
  }

  #atom(): number | undefined {
    if (this.#take('-') !== undefined) {
      const value = this.#atom()
      return value === undefined ? undefined : -value
    }
    if (this.#take('(') !== undefined) {
      const value = this.#sum()
      return this.#take(')') === undefined ? undefined : value
    }
    const token = this.#tokens[this.#at]
    if (token === undefined || !/^\d/.test(token)) return undefined
    this.#at++
    return Number(token)
  }
}
