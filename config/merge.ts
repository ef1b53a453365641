import { ROWS, SETTINGS, type SettingKey, type SettingValues } from './schema.ts'
import { type GivenValue, isTable, leavesOf, type Source } from './sources.ts'

/** Merges values over the defaults, in order; later ones override. A value for a whole map replaces the map. */
export function merge(
  given: readonly GivenValue[],
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
  // Each value was parsed by its own row's type above.
  return { values: values as SettingValues, sources }
}

function withLeaf(map: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path
  if (name === undefined) return value
  const table = isTable(map) ? map : {}
  return { ...table, [name]: withLeaf(table[name], rest, value) }
}
