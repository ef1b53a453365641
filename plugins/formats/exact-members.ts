import { isObject } from 'deflector'
import { parseExact } from './exact-json.ts'
import { isInexact } from './exact-number.ts'

/**
 * A parsed body whose members of these names have every digit that stands in the bytes: a tool's arguments are the user's
 * own. The bytes are read again only where a double has rounded one of their numbers.
 */
export function withExactMembers<T>(body: T, bytes: Uint8Array | undefined, names: ReadonlySet<string>): T {
  if (!bytes || !holdsRounded(body, names)) return body
  const exact = parseExact(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
  return replaced(body, exact, names) as T
}

/** Without names: does the value itself hold one? */
function holdsRounded(value: unknown, names?: ReadonlySet<string>): boolean {
  if (typeof value === 'number') return !names && isInexact(value)
  if (Array.isArray(value)) return value.some(item => holdsRounded(item, names))
  if (!isObject(value)) return false
  return Object.entries(value).some(([name, item]) => holdsRounded(item, names?.has(name) ? undefined : names))
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
