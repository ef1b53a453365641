import { fieldPath, GatewayError } from 'deflector'
import type { z } from 'zod'

/** What the formats share when they check a client's body. */

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

/** An optional field: clients send explicit nulls, which mean "absent". */
export const optional = <T>(schema: z.ZodType<T>): z.ZodType<T | undefined> =>
  schema.nullish().transform(value => value ?? undefined)
