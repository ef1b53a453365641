import { type Chat, isObject, type JsonObject } from 'deflector'
import { CHANGES_NOTHING } from './compiled-rules.ts'
import { SESSION_FIELDS } from './session-id.ts'

/** Names of fields go to logs and traces, and a client may send any: those that no vendor would choose stay out. */
const NAME = /^[A-Za-z_]\w{0,63}$/
/** Names that are told of one body. */
const MOST = 32

/** What every dialect reads elsewhere. */
const GATEWAYS: readonly string[] = ['model', 'stream', 'stream_options', ...SESSION_FIELDS]

/** The fields of a body that its dialect reads. */
export const readFields = (...names: readonly string[]): ReadonlySet<string> => new Set([...names, ...GATEWAYS])

/**
 * The fields of a body that are not among those that its dialect reads: hints that only its own vendor has words for.
 * `more`: others of them, found further down. Values that ask for nothing are none.
 */
export function vendorHints(
  body: JsonObject,
  read: ReadonlySet<string>,
  more: readonly string[] = [],
): Pick<Chat, 'vendorHints'> {
  const hints = [...unreadIn(body, read), ...more].slice(0, MOST)
  return hints.length === 0 ? {} : { vendorHints: hints }
}

/** The same fields of one object, as paths behind `at`. */
export function unreadIn(object: JsonObject, read: ReadonlySet<string>, at = ''): string[] {
  const fields: string[] = []
  for (const name in object) if (!read.has(name) && NAME.test(name) && asks(object[name])) fields.push(at + name)
  return fields
}

/**
 * Does the object have a field that its dialect does not read, and that may change the answer? As for cache keys, one
 * that nobody knows may, whatever its name; `false` counts, because it may turn something off.
 */
export function hasUnread(object: JsonObject, read: ReadonlySet<string>): boolean {
  for (const name in object)
    if (!read.has(name) && !CHANGES_NOTHING.has(name) && (object[name] === false || asks(object[name]))) return true
  return false
}

/** The same for a value of which nothing else was read: any member is one. */
export const isUnread = (value: unknown): boolean => (isObject(value) ? hasUnread(value, NONE) : asks(value))

const NONE: ReadonlySet<string> = new Set()

function asks(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return false
  if (Array.isArray(value)) return value.length > 0
  return !isObject(value) || Object.keys(value).length > 0
}
