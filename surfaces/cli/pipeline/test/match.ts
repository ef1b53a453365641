/** Holds what came against what was expected. Each difference is one line; none means that all is well. */

const regex = (expected: string): RegExp | undefined => {
  const parts = /^\/(.+)\/([imsu]*)$/s.exec(expected)
  return parts ? new RegExp(parts[1] ?? '', parts[2]) : undefined
}

const show = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

/** Exact, or a regular expression between slashes; `null` when there must be none. */
export function matchText(what: string, actual: string | undefined, expected: string | null): string[] {
  if (expected === null) return actual === undefined ? [] : [`${what}: expected none, got ${show(actual)}`]
  const pattern = regex(expected)
  if (actual !== undefined && (pattern ? pattern.test(actual) : actual === expected)) return []
  return [`${what}: expected ${pattern ? expected : show(expected)}, got ${show(actual)}`]
}

/** Every key of `expected` is there and fits; lists have the same length. `null` also fits what is absent. */
export function matchSubset(what: string, actual: unknown, expected: unknown): string[] {
  if (typeof expected === 'string') {
    return typeof actual === 'string'
      ? matchText(what, actual, expected)
      : [`${what}: expected ${show(expected)}, got ${show(actual)}`]
  }
  if (expected === null || typeof expected !== 'object') {
    const same = expected === null ? (actual ?? null) === null : Object.is(actual, expected)
    return same ? [] : [`${what}: expected ${show(expected)}, got ${show(actual)}`]
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) {
      return [`${what}: expected a list of ${expected.length}, got ${show(actual)}`]
    }
    return expected.flatMap((item, at) => matchSubset(`${what}[${at}]`, actual[at], item))
  }
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) {
    return [`${what}: expected an object, got ${show(actual)}`]
  }
  return Object.entries(expected).flatMap(([key, value]) =>
    matchSubset(`${what}.${key}`, Reflect.get(actual, key), value),
  )
}

/** Two plain values that must be the same. */
export const matchSame = (what: string, actual: unknown, expected: unknown): string[] =>
  Object.is(actual, expected) ? [] : [`${what}: expected ${show(expected)}, got ${show(actual)}`]
