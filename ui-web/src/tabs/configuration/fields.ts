import type { JsonSchema } from '../../api/settings.ts'

/** The fields of a setting's entries, each with its choices; empty where entries are no records. */
export function fieldsOf({ items, additionalProperties, properties }: JsonSchema): readonly string[] {
  if (properties)
    return Object.entries(properties).map(([name, { enum: choices }]) =>
      choices ? `${name} (${choices.join(', ')})` : name,
    )
  const inside = items ?? additionalProperties
  return typeof inside === 'object' ? fieldsOf(inside) : []
}
