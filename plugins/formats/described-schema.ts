import type { JsonObject, ResponseFormat } from 'deflector'

/** The schema of a response format with what the client says of it, for dialects that have no other place for that. */
export function describedSchema({ schema, description }: Extract<ResponseFormat, { type: 'schema' }>): JsonObject {
  if (description === undefined) return schema
  return { ...schema, description: [description, schema.description].filter(Boolean).join(' ') }
}
