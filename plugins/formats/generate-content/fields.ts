import { isObject, type JsonObject } from 'deflector'
import type { z } from 'zod'
import { badRequest, checked } from '../body.ts'

/** The fields of one object by their camelCase names: the vendor takes both spellings, and clients send both. */
export function camel(object: JsonObject): JsonObject {
  let spelled: JsonObject | undefined
  for (const key in object) {
    if (key.indexOf('_', 1) < 0) continue
    spelled ??= { ...object }
    const name = key.replace(/(?<=.)_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    spelled[name] ??= object[key]
    delete spelled[key]
  }
  return spelled ?? object
}

/** An object of the body, checked. Throws `GatewayError('bad_request')` with the field's path. */
export function fields<T>(schema: z.ZodType<T>, value: unknown, at: string): T {
  return checked(schema, isObject(value) ? camel(value) : value, at)
}

/** What may be a list is often written as its only item; so does the vendor's own documentation. */
export function listOf(value: unknown, at: string): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  if (isObject(value)) return [value]
  throw badRequest(at, 'must be a list')
}
