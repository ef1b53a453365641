import type { Dialect, HeadCall } from 'deflector'

/** Part of a header's or parameter's name that makes its value a credential, or as good as one. */
const SECRET = /key|token|secret|auth|cookie|credential|password|signature/i

export const isSecretName = (name: string): boolean => SECRET.test(name)

/** What a client says in its dialect by headers that have a prefix in common, ordered by name. */
export function prefixedHeaders({ headers: own = [] }: Pick<Dialect, 'headers'>, given: HeadCall['headers']): Pair[] {
  const found: Pair[] = []
  for (const { name: prefix, prefix: isPrefix } of own) {
    if (!isPrefix) continue
    for (const name in given) {
      const value = given[name]
      if (value === undefined || !name.startsWith(prefix) || isSecretName(name)) continue
      if (!own.some(each => each.name === name)) found.push([name, value])
    }
  }
  return found.sort(([a], [b]) => (a < b ? -1 : 1))
}

type Pair = readonly [name: string, value: string]
