import { isObject, type JsonObject, type VendorWords } from 'deflector'
import { invalidField } from './invalid-field.ts'
import { masked } from './mask.ts'

/** Characters of a message that pass, and of the JSON that `details` may be. */
const LONGEST = 8_000
/** Further down than any vendor's details go. */
const DEEPEST = 8

/**
 * What of an error body passes to a client of the same dialect: the members that every dialect of errors has, with all
 * that looks like a key masked. `undefined` for a body without an error.
 */
export function wordsOf(body: unknown, dialect: string, secrets: readonly string[]): VendorWords | undefined {
  const outer: unknown = Array.isArray(body) ? body[0] : body
  const error = isObject(outer) ? errorIn(outer) : undefined
  if (!isObject(outer) || !error) return undefined
  const { message, type, status, code, param, details } = error
  const clean = (value: unknown): string | undefined =>
    typeof value === 'string' && value !== '' ? masked(value, secrets, LONGEST) : undefined
  const words = {
    message: clean(message),
    type: clean(type) ?? clean(status),
    code: typeof code === 'number' ? code : clean(code),
    param: clean(param),
    details: detailsOf(details, clean),
    requestId: typeof outer.request_id === 'string' && ID.test(outer.request_id) ? outer.request_id : undefined,
  }
  const said = Object.entries(words).filter(([, value]) => value !== undefined)
  return { dialect, ...Object.fromEntries(said) }
}

/** Events of the type `error` may bear its members themselves: their type is then no word for the failure. */
function errorIn({ error, type, ...members }: JsonObject): JsonObject | undefined {
  if (isObject(error)) return error
  if (error !== undefined) return undefined
  const invalid = invalidField(members)
  return invalid ? { ...invalid } : type === 'error' ? members : undefined
}

const ID = /^[\w.:-]{1,128}$/

function detailsOf(details: unknown, clean: (value: unknown) => string | undefined): unknown {
  if (details === undefined || details === null || JSON.stringify(details).length > LONGEST) return undefined
  return scrubbed(details, clean, DEEPEST)
}

function scrubbed(value: unknown, clean: (value: unknown) => string | undefined, depth: number): unknown {
  if (typeof value === 'string') return clean(value) ?? ''
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return null
  if (Array.isArray(value)) return value.map(each => scrubbed(each, clean, depth - 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [clean(name) ?? '', scrubbed(each, clean, depth - 1)]),
  )
}
