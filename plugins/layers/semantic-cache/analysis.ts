import type { Token } from './token.ts'
import { FUNCTION_WORDS } from './words/function-words.ts'

/**
 * A prompt's tokens as guards and verifier compare them, and what those made of them so far: one prompt is compared
 * with several, and several guards ask for the same.
 */
export class Analysis {
  readonly tokens: readonly Token[]
  /** What each `once` found, by its place. */
  readonly found: unknown[] = new Array(places).fill(undefined)

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }
}

let places = 0
/** Looked for, and not there. */
const NOTHING = Symbol('nothing')

/** A fact about a prompt that is worked out when it is first asked for. `derive` is pure. */
export function fact<T>(derive: (analysis: Analysis) => T): (analysis: Analysis) => T {
  const place = places++
  return analysis => {
    const known = analysis.found[place]
    if (known !== undefined) return (known === NOTHING ? undefined : known) as T // written below and nowhere else
    const value = derive(analysis)
    analysis.found[place] = value === undefined ? NOTHING : value
    return value
  }
}

/** A fact about two prompts, kept until it is asked of others: guards and verifier look at one pair at a time. */
export function pairFact<T>(derive: (a: Analysis, b: Analysis) => T): (a: Analysis, b: Analysis) => T {
  let last: { readonly a: Analysis; readonly b: Analysis; readonly value: T } | undefined
  return (a, b) => {
    if (last?.a !== a || last.b !== b) last = { a, b, value: derive(a, b) }
    return last.value
  }
}

/** The plain words, as they stand. */
export const words = fact(({ tokens }) => {
  const found: string[] = []
  for (const { kind, text } of tokens) if (kind === 'word') found.push(text)
  return found
})

export const stems = fact(({ tokens }) => {
  const found = new Set<string>()
  for (const { stem } of tokens) found.add(stem)
  return found
})

/** What is left without grammar and signs. */
export const content = fact(({ tokens }) =>
  tokens.filter(({ kind, text }) => kind !== 'symbol' && (kind !== 'word' || !FUNCTION_WORDS.has(text))),
)
