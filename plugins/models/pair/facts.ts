import type { Parsed } from './canonical.ts'
import { parse } from './reading.ts'
import type { Token } from './token.ts'

/** A prompt as the rules look at it; each keeps what it found out, so that eight comparisons read a prompt once. */
export interface Facts extends Parsed {
  /** Without greetings and thanks. */
  readonly said: readonly Token[]
}

export function factsOf(text: string): Facts {
  const prompt = parse(text)
  return { ...prompt, said: prompt.tokens.slice(...prompt.core) }
}

/** Remembers what `find` says of a prompt for as long as the prompt is used. */
export function fact<T>(find: (facts: Facts) => T): (facts: Facts) => T {
  const known = new WeakMap<Facts, { readonly value: T }>()
  return facts => {
    let found = known.get(facts)
    if (!found) {
      found = { value: find(facts) }
      known.set(facts, found)
    }
    return found.value
  }
}

/** Does the other prompt have all of these? */
export const hasAll = (wanted: Iterable<string>, there: ReadonlySet<string>): boolean => {
  for (const one of wanted) if (!there.has(one)) return false
  return true
}
