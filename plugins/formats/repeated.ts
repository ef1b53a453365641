import type { JsonObject } from 'deflector'
import { exactJson } from './exact-json.ts'

/**
 * What a client says of itself and of caching. No answer depends on it, so that no cache key holds it, yet vendors repeat
 * it in their answers: one that another client asked for goes out with the client's own in its place.
 */
export const REPEATED = [
  'user',
  'safety_identifier',
  'metadata',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'client_metadata',
] as const

export type Repeated = (typeof REPEATED)[number]

/** Such a member anywhere in a JSON text, and in no string of it: quotes stand behind a backslash there. */
const MEMBER = new RegExp(`"(?:${REPEATED.join('|')})"\\s*:`)

export const mayRepeat = (json: string): boolean => MEMBER.test(json)

/** What an answer to this body repeats. `absent`: what vendors say for a member that the body has not, if not null. */
export const repeatsOf = (body: JsonObject, absent?: JsonObject): JsonObject =>
  Object.fromEntries(REPEATED.map(field => [field, repeatOf(field, body, absent)]))

/** One of them, as JSON text. */
export const repeatAsJson = (field: Repeated, body: JsonObject, absent?: JsonObject): string =>
  exactJson(repeatOf(field, body, absent))

const repeatOf = (field: Repeated, body: JsonObject, absent: JsonObject = NONE): unknown =>
  body[field] ?? absent[field] ?? null
const NONE: JsonObject = {}
