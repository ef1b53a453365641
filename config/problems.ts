import type { z } from 'zod'
import { fieldPath } from '../core/json/field-path.ts'
import { didYouMean } from '../core/pipeline/suggest.ts'
import { maskUrl, maskValue } from './mask.ts'
import type { Row } from './row.ts'

/** The settings cannot be used. One line for each thing that is wrong: where it stands, what it is, what to do. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'))
  }
}

/** What is wrong with a value, and where inside it. */
export interface Complaint {
  readonly path: readonly PropertyKey[]
  /** Begins with the setting's name. */
  readonly text: string
}

/** All that a row's type has against a value. Secrets are never quoted. */
export function complaints(key: string, row: Row, value: unknown): Complaint[] {
  const parsed = row.type.safeParse(value)
  if (parsed.success) return []
  return parsed.error.issues.flatMap((issue): Complaint[] => {
    const name = fieldPath(issue.path, key)
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map(extra => ({
        path: [...issue.path, extra],
        text: `${name} has no field "${extra}"${didYouMean(extra, fieldsOf(row.type))}`,
      }))
    }
    if (issue.path.length === 0) {
      return [
        {
          path: [],
          text: `${key} must be ${row.expects}${row.secret ? '' : `, not ${shown(row.address && typeof value === 'string' ? maskUrl(value) : maskValue(value, false))}`}`,
        },
      ]
    }
    const missing = at(value, issue.path) === undefined
    return [{ path: issue.path, text: missing ? `${name} is missing` : `${name} is wrong: ${saying(issue)}` }]
  })
}

/** zod's own words name types and bounds, never the value. */
const saying = (issue: z.core.$ZodIssue): string => issue.message.replace(/^Invalid (input|option): /, '')

const shown = (value: unknown): string => {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  if (Array.isArray(value)) return 'a list'
  return value instanceof Date ? 'a date' : 'a table'
}

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inside, step) => (typeof inside === 'object' && inside ? Reflect.get(inside, step) : undefined),
    value,
  )

/** Every field name that a type knows anywhere inside. */
function fieldsOf(type: z.ZodType): string[] {
  const found: string[] = []
  const walk = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return
    for (const [key, inside] of Object.entries(schema)) {
      if (key === 'properties' && typeof inside === 'object' && inside !== null) found.push(...Object.keys(inside))
      walk(inside)
    }
  }
  walk(type.toJSONSchema({ unrepresentable: 'any', io: 'input' }))
  return found
}
