import { fieldPath, GatewayError, isObject } from 'deflector'
import type { z } from 'zod'

/** What the formats share when they check a client's body. */

/** Bytes a session id may have; a longer one is noise, not a name. */
const SESSION_LIMIT = 512
const SESSION_FIELDS = ['session_id', 'thread_id', 'conversation_id'] as const

/**
 * Parses `value` or throws `GatewayError('bad_request')` that names the field. `at` is the path of `value` in the body.
 */
export function checked<T>(schema: z.ZodType<T>, value: unknown, at = ''): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const path = fieldPath(issue?.path ?? [], at)
  throw badRequest(path, issue?.message ?? 'is not valid')
}

/** A refusal of one field. The message never repeats the field's value. */
export function badRequest(path: string, problem: string): GatewayError {
  const message = path === '' ? `the body: ${problem}` : `${path}: ${problem}`
  return new GatewayError('bad_request', message, path === '' ? {} : { param: path })
}

/** The session id in a body: top-level fields first, then those under `metadata`. What is no usable name is ignored. */
export function sessionOf(body: Readonly<Record<string, unknown>>): string | undefined {
  for (const place of [body, body.metadata]) {
    if (!isObject(place)) continue
    for (const field of SESSION_FIELDS) {
      const id = place[field]
      if (typeof id === 'string' && id !== '' && Buffer.byteLength(id) <= SESSION_LIMIT) return id
    }
  }
  return undefined
}

/** An optional field: clients send explicit nulls, which mean "absent". */
export const optional = <T>(schema: z.ZodType<T>): z.ZodType<T | undefined> =>
  schema.nullish().transform(value => value ?? undefined)
