import type { LoadedSettings } from './load.ts'
import { maskSecret, maskValue } from './mask.ts'
import type { Row } from './row.ts'
import { ROWS, type SettingKey, variablesOf } from './schema.ts'
import { sectionOf } from './sections.ts'
import { leavesOf, type Source, sourceText } from './sources.ts'

/** A setting for the operator, with its secrets masked, also those inside URLs. */
export interface ShownSetting {
  readonly key: string
  readonly value: unknown
  readonly source: string
  readonly doc: string
}

/** Every setting; a map with values is listed by its names, each with its own source. */
export function shownSettings({ values, sources }: LoadedSettings): ShownSetting[] {
  return ROWS.flatMap(([key, row]) => {
    const source = (name: string): string => sourceText(sources.get(name) ?? { kind: 'default' })
    const value: unknown = values[key]
    const whole = { key, value: shownValue(value, row.secret), source: source(key), doc: row.doc }
    const names = row.depth === 0 ? [] : [...sources.keys()].filter(name => name.startsWith(`${key}.`))
    const inside = names.map(name => ({
      key: name,
      value: shownValue(within(value, name.slice(key.length + 1), row.depth), row.secret),
      source: source(name),
      doc: row.doc,
    }))
    return inside.length > 0 ? inside : [whole]
  })
}

const shownValue = (value: unknown, secret: boolean): unknown => {
  return secret && typeof value === 'string' ? maskSecret(value) : maskValue(value, secret)
}

/** The part of a map that a dotted name means; the names inside may hold dots of their own. */
function within(map: unknown, name: string, depth: number): unknown {
  if (typeof map !== 'object' || map === null) return map
  if (depth === 1) return Reflect.get(map, name)
  const first = Object.keys(map).find(key => name.startsWith(`${key}.`))
  return first === undefined ? undefined : within(Reflect.get(map, first), name.slice(first.length + 1), depth - 1)
}

/** Aligned columns: key, value, source. */
export function settingsTable(settings: readonly ShownSetting[]): string {
  const rows = settings.map(({ key, value, source }) => [key, valueText(value), source] as const)
  const wide = (column: 0 | 1, most: number): number => Math.min(most, Math.max(...rows.map(row => row[column].length)))
  const [keys, values] = [wide(0, 50), wide(1, 48)]
  return rows.map(([key, value, source]) => `${key.padEnd(keys)}  ${value.padEnd(values)}  ${source}`).join('\n')
}

const valueText = (value: unknown): string => {
  if (value === undefined || value === null || value === '') return '-'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A setting for who may change it. */
interface ControlledSetting extends ShownSetting {
  readonly key: SettingKey
  readonly section: string
  readonly default: unknown
  readonly expects: string
  readonly origin: string
  readonly source: Source['kind']
  readonly variables: readonly string[]
  readonly secret: boolean
  readonly pending: boolean
  readonly writable: boolean
  readonly parts: readonly {
    readonly path: readonly string[]
    readonly source: Source['kind']
    readonly origin: string
    readonly writable: boolean
  }[]
  readonly schema: Readonly<Record<string, unknown>>
}

const DEFAULT: Source = { kind: 'default' }

/** `writable` says whether the file counts: nothing stands over it. */
const placeOf = (source: Source) => ({
  source: source.kind,
  origin: sourceText(source),
  writable: source.kind === 'default' || source.kind === 'file',
})

/** Every setting, a map as a whole and by its parts; where a map comes from is told of its latest part. */
export const controlledSettings = ({
  values,
  sources,
  dataDir,
}: Pick<LoadedSettings, 'values' | 'sources' | 'dataDir'>): ControlledSetting[] =>
  ROWS.map(([key, row]) => ({
    key,
    section: sectionOf(key),
    value: shownValue(values[key], row.secret) ?? null,
    default: (typeof row.default === 'function' ? row.default(dataDir) : row.default) ?? null,
    ...placeOf(sources.get(key) ?? DEFAULT),
    variables: variablesOf(key),
    doc: row.doc,
    expects: row.expects,
    secret: row.secret,
    pending: row.pending,
    parts: leavesOf(values[key], row.depth)
      .filter(path => path.length > 0)
      .map(path => ({ path, ...placeOf(sources.get([key, ...path].join('.')) ?? DEFAULT) })),
    schema: schemaOf(row),
  }))

const schemas = new WeakMap<Row, Readonly<Record<string, unknown>>>()

function schemaOf(row: Row): Readonly<Record<string, unknown>> {
  const known = schemas.get(row)
  if (known) return known
  const { $schema: _, ...schema } = row.type.toJSONSchema({ unrepresentable: 'any', io: 'input' })
  schemas.set(row, schema)
  return schema
}
