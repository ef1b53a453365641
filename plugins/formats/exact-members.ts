import { isObject } from 'deflector'
import { parseExact } from './exact-json.ts'

/**
 * A parsed body whose members of these names have every number as it is spelled in the source: arguments and schemas of
 * tools are the user's own. The source is read again only where such a member holds a number.
 */
export function withExactMembers<T>(body: T, source: Uint8Array | string | undefined, names: ReadonlySet<string>): T {
  if (source === undefined || !holdsNumber(body, names)) return body
  return replaced(body, parseExact(textOf(source)), names) as T
}

const textOf = (source: Uint8Array | string): string =>
  typeof source === 'string'
    ? source
    : Buffer.from(source.buffer, source.byteOffset, source.byteLength).toString('utf8')

/** Without names: does the value itself hold one? */
function holdsNumber(value: unknown, names?: ReadonlySet<string>): boolean {
  if (typeof value === 'number') return !names
  if (Array.isArray(value)) return value.some(item => holdsNumber(item, names))
  if (!isObject(value)) return false
  for (const name in value) if (holdsNumber(value[name], names?.has(name) ? undefined : names)) return true
  return false
}

/** The plain value, but for the members that are taken from the exact one. */
function replaced(plain: unknown, exact: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(plain) && Array.isArray(exact)) return plain.map((item, at) => replaced(item, exact[at], names))
  if (!isObject(plain) || !isObject(exact)) return plain
  return Object.fromEntries(
    Object.entries(plain).map(([name, item]) => [
      name,
      names.has(name) && name in exact ? exact[name] : replaced(item, exact[name], names),
    ]),
  )
}
