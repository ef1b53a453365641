import { z } from 'zod'
import { didYouMean } from '../core/pipeline/suggest.ts'

/** The end of a message about a name that a table has no field of: what was probably meant, or all fields. */
export function fieldHint(type: z.ZodType, path: readonly PropertyKey[], name: string): string {
  const fields = fieldsAt(type, path)
  const near = didYouMean(name, fields)
  if (near !== '' || fields.length === 0) return near
  const akin = mostWordsOf(name, fields)
  const all = `its fields are ${fields.join(', ')}`
  return akin === undefined ? `; ${all}` : `; did you mean "${akin}"? I${all.slice(1)}`
}

/** The field that shares most words with a name, and half of them at least. */
function mostWordsOf(name: string, fields: readonly string[]): string | undefined {
  const words = name.toLowerCase().split('_')
  const shared = (field: string): number => field.split('_').filter(word => words.includes(word)).length
  const [best] = [...fields].sort((a, b) => shared(b) - shared(a))
  return best !== undefined && shared(best) >= words.length / 2 ? best : undefined
}

const SHAPE = z.object({
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  additionalProperties: z.unknown().optional(),
})

/** The names that a type takes at a place inside it. */
function fieldsAt(type: z.ZodType, path: readonly PropertyKey[]): string[] {
  let shape: unknown = type.toJSONSchema({ unrepresentable: 'any', io: 'input', reused: 'inline' })
  for (const step of path) {
    const { properties, items, additionalProperties } = SHAPE.safeParse(shape).data ?? {}
    shape = typeof step === 'number' ? items : (properties?.[String(step)] ?? additionalProperties)
  }
  return Object.keys(SHAPE.safeParse(shape).data?.properties ?? {})
}
