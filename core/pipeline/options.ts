import type { Node } from 'yaml'
import { type ZodType, z } from 'zod'
import { fieldPath } from '../json/field-path.ts'
import { didYouMean } from './suggest.ts'
import type { PipelineText } from './text.ts'
import type { ValueSource } from './types.ts'

export interface Checked<S extends ZodType> {
  /** What reads in the message before the option's name: `layer "cloud"`. */
  readonly owner: string
  /** What the message calls one: an option of a plugin, a key of a test. */
  readonly word: 'option' | 'key'
  readonly schema: S
  /** Preset and file merged, settings filled in. */
  readonly value: unknown
  /** Where the value stands in the file, if it does. */
  readonly node: Node | undefined
  /** What to point at otherwise. */
  readonly fallback: Node
  /** Where the value stands in the setting at `fallback`, if it came out of one. */
  readonly inSetting?: readonly string[]
}

/** Checks what a file says against a zod schema; every issue is reported where its option is written. */
export function checkValue<S extends ZodType>(text: PipelineText, given: Checked<S>): z.output<S> | undefined {
  const { owner, word, schema, value, node, fallback, inSetting } = given
  const origin = (path: readonly PropertyKey[]): ValueSource | undefined =>
    inSetting ? text.origin(fallback, [...inSetting, ...path]) : text.origin(node, path)
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues.flatMap(innermost)) {
    const { path } = issue
    if (issue.code === 'unrecognized_keys') {
      const known = keysAt(schema, path)
      for (const key of issue.keys) {
        const at = text.find(node, [...path, key], true) ?? fallback
        const hint = didYouMean(key, known) || among(known)
        const what = `${owner} has no ${word} "${fieldPath([...path, key])}"${hint}`
        text.reportValue('unknown_key', at, what, origin([...path, key]))
      }
      continue
    }
    const found = within(value, path)
    const hint = issue.code === 'invalid_value' ? didYouMean(String(found), issue.values.map(String)) : ''
    const what = path.length === 0 ? '' : `: ${word} "${fieldPath(path)}"`
    const said = path.length > 0 && found === undefined ? 'is missing' : wrong(issue)
    text.reportValue('bad_option', text.find(node, path) ?? fallback, `${owner}${what} ${said}${hint}`, origin(path))
  }
  return undefined
}

type Issue = z.core.$ZodIssue

/** What to write in place of a value of another type. The value itself may be a secret, so it is not quoted. */
const TYPES: Readonly<Record<string, string>> = {
  array: 'a list, such as [one, two]; write [...] around a single value',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'a mapping of keys to values',
  record: 'a mapping of keys to values',
  string: 'text',
}

function wrong(issue: Issue): string {
  const type = issue.code === 'invalid_type' ? TYPES[issue.expected] : undefined
  return type === undefined ? `is wrong: ${issue.message}` : `must be ${type}`
}

/** Of a union's branches, the issues of the one that came furthest. */
function innermost(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const depth = (issues: readonly Issue[]): number => Math.max(0, ...issues.map(({ path }) => path.length))
  const best = issue.errors.reduce((a, b) => (depth(b) > depth(a) ? b : a))
  if (depth(best) === 0 && !best.some(({ code }) => code === 'unrecognized_keys')) return [issue]
  return best.map(inner => ({ ...inner, path: [...issue.path, ...inner.path] })).flatMap(innermost)
}

const among = (known: readonly string[]): string => (known.length ? `; it has ${known.join(', ')}` : '; it has none')

function within(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined),
    value,
  )
}

const SHAPE = z.object({
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  additionalProperties: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
})

/** The keys that a schema knows at a path; empty when the schema does not say. */
function keysAt(schema: ZodType, path: readonly PropertyKey[]): string[] {
  let shapes: unknown[] = [z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input', reused: 'inline' })]
  for (const step of path) {
    shapes = shapes
      .flatMap(alternatives)
      .map(shape =>
        typeof step === 'number' ? shape.items : (shape.properties?.[String(step)] ?? shape.additionalProperties),
      )
  }
  return [...new Set(shapes.flatMap(alternatives).flatMap(shape => Object.keys(shape.properties ?? {})))]
}

function alternatives(shape: unknown): z.output<typeof SHAPE>[] {
  const parsed = SHAPE.safeParse(shape)
  return parsed.success ? [parsed.data, ...(parsed.data.anyOf ?? []).flatMap(alternatives)] : []
}
