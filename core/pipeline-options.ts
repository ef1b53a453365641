import type { Node } from 'yaml'
import { z } from 'zod'
import type { PipelineText } from './pipeline-text.ts'
import type { Plugin } from './plugin.ts'
import { didYouMean } from './suggest.ts'

export interface GivenOptions {
  /** What reads in the message before the option's name: `layer "cloud"`. */
  readonly owner: string
  readonly plugin: Plugin
  /** Preset and file merged, settings filled in. */
  readonly values: Readonly<Record<string, unknown>>
  /** Where the options stand in the file, if they do. */
  readonly node: Node | undefined
  /** Where the instance stands. */
  readonly fallback: Node
}

/** Checks options against the plugin's own schema; every issue is reported where the option is written. */
export function checkOptions(text: PipelineText, { owner, plugin, values, node, fallback }: GivenOptions): unknown {
  const parsed = plugin.options.safeParse(values)
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues) {
    if (issue.code === 'unrecognized_keys') {
      const known = keysAt(plugin.options, issue.path)
      for (const key of issue.keys) {
        const at = text.find(node, [...issue.path, key], true) ?? fallback
        const name = dotted([...issue.path, key])
        const what = `${owner} has no option "${name}"`
        text.report('unknown_key', at, `${what}${didYouMean(key, known) || among(known)}`)
      }
      continue
    }
    const hint =
      issue.code === 'invalid_value' ? didYouMean(String(within(values, issue.path)), issue.values.map(String)) : ''
    const option = issue.path.length === 0 ? 'options' : `option "${dotted(issue.path)}"`
    const missing = issue.path.length > 0 && within(values, issue.path) === undefined
    const said = missing ? 'is missing' : `is wrong: ${issue.message}`
    text.report('bad_option', text.find(node, issue.path) ?? fallback, `${owner}: ${option} ${said}${hint}`)
  }
  return undefined
}

/** `retry.steps[0].ms` */
const dotted = (path: readonly PropertyKey[]): string =>
  path.map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at ? '.' : ''}${String(step)}`)).join('')

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
function keysAt(schema: Plugin['options'], path: readonly PropertyKey[]): string[] {
  let shapes: unknown[] = [z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' })]
  for (const step of [...path, undefined]) {
    const seen = shapes.flatMap(alternatives)
    if (step === undefined) return seen.flatMap(shape => Object.keys(shape.properties ?? {}))
    shapes = seen.map(shape =>
      typeof step === 'number' ? shape.items : (shape.properties?.[String(step)] ?? shape.additionalProperties),
    )
  }
  return []
}

function alternatives(shape: unknown): z.output<typeof SHAPE>[] {
  const parsed = SHAPE.safeParse(shape)
  return parsed.success ? [parsed.data, ...(parsed.data.anyOf ?? []).flatMap(alternatives)] : []
}
