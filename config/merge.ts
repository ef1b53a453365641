import { type Given, isTable, leavesOf, type Source } from './given.ts'
import { ROWS, SETTINGS, type SettingKey, type SettingValues } from './schema.ts'

/** Lays what was given over the defaults, in order: later wins. What is given for a map as a whole empties it first. */
export function merge(
  given: readonly Given[],
  dataDir: string,
): { readonly values: SettingValues; readonly sources: ReadonlyMap<string, Source> } {
  const raw = new Map<SettingKey, unknown>()
  const sources = new Map<string, Source>()
  for (const [key, row] of ROWS) {
    raw.set(key, typeof row.default === 'function' ? row.default(dataDir) : row.default)
    sources.set(key, { kind: 'default' })
  }
  for (const { key, path, value, source } of given) {
    raw.set(key, path.length === 0 ? value : withLeaf(raw.get(key), path, value))
    const { depth } = SETTINGS[key]
    if (depth > 0 && path.length === 0) {
      for (const name of sources.keys()) if (name.startsWith(`${key}.`)) sources.delete(name)
    }
    sources.set(key, source)
    for (const leaf of leavesOf(value, depth - path.length)) sources.set([key, ...path, ...leaf].join('.'), source)
  }
  const values = Object.fromEntries([...raw].map(([key, value]) => [key, SETTINGS[key].type.parse(value)]))
  // Each value has just come out of its own row's type.
  return { values: values as SettingValues, sources }
}

function withLeaf(map: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path
  if (name === undefined) return value
  const table = isTable(map) ? map : {}
  return { ...table, [name]: withLeaf(table[name], rest, value) }
}
