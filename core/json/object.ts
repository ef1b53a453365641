export type JsonObject = Record<string, unknown>

/** Is it an object as JSON has them: neither a list nor `null`? */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
