import { fieldPath, GatewayError } from 'deflector'
import type { z } from 'zod'

/** What the formats share when they check a client's body. */

/**
 * Parses `value` or throws `GatewayError('bad_request')` that names the field. `at` is the path of `value` in the body.
 */
export function checked<T>(schema: z.ZodType<T>, value: unknown, at = ''): T {
  const result = schema.safeParse(value, WORDS)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const path = fieldPath(issue?.path ?? [], at)
  throw badRequest(path, issue?.message ?? 'is not valid')
}

/**
 * For schemas that say nothing themselves. What zod says then is for programmers: `Invalid input: expected array, received
 * undefined`.
 */
const WORDS: z.core.ParseContext<z.core.$ZodIssue> = {
  error(issue) {
    if (issue.code === 'invalid_type') {
      const kind = issue.expected === 'record' ? 'object' : issue.expected
      return `must be ${/^[aio]/.test(kind) ? 'an' : 'a'} ${kind}`
    }
    const empty = issue.code === 'too_small' && issue.origin !== 'number' && issue.minimum === 1
    return empty ? 'must not be empty' : undefined
  },
}

/** A refusal of one field. The message never repeats the field's value. */
export function badRequest(path: string, problem: string): GatewayError {
  const message = path === '' ? `the body: ${problem}` : `${path}: ${problem}`
  return new GatewayError('bad_request', message, path === '' ? {} : { param: path })
}

/** An optional field: clients send explicit nulls, which mean "absent". */
export const optional = <T>(schema: z.ZodType<T>): z.ZodType<T | undefined> =>
  schema.nullish().transform(value => value ?? undefined)
