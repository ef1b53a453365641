import type { z } from 'zod'
import { fieldPath } from '../core/json/field-path.ts'
import { fieldHint } from './field-hint.ts'
import { maskUrl, maskValue } from './mask.ts'
import type { Row } from './row.ts'

/** The settings are invalid. One line for each problem: where it is, what it is, what to do. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'))
  }
}

/** A problem of a value, and its place inside the value. */
export interface ValueProblem {
  readonly path: readonly PropertyKey[]
  /** Begins with the setting's name. */
  readonly text: string
}

/** The problems that a row's type finds in a value. Secrets are never quoted. */
export function problemsOf(key: string, row: Row, value: unknown): ValueProblem[] {
  const parsed = row.type.safeParse(value)
  if (parsed.success) return []
  return parsed.error.issues.flatMap((issue): ValueProblem[] => {
    const name = fieldPath(issue.path, key)
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map(extra => ({
        path: [...issue.path, extra],
        text: `${name} has no field "${extra}"${fieldHint(row.type, issue.path, extra)}`,
      }))
    }
    if (issue.path.length === 0) {
      return [
        {
          path: [],
          text: `${key} must be ${row.expects}${row.secret ? '' : `, not ${valueText(row.address && typeof value === 'string' ? maskUrl(value) : maskValue(value, false))}`}`,
        },
      ]
    }
    const missing = at(value, issue.path) === undefined
    return [{ path: issue.path, text: missing ? `${name} is missing` : `${name} is wrong: ${issueText(issue)}` }]
  })
}

/** zod's messages name types and bounds, never the value. */
const issueText = (issue: z.core.$ZodIssue): string => issue.message.replace(/^Invalid (input|option): /, '')

const valueText = (value: unknown): string => {
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
