import { didYouMean } from '../core/pipeline/suggest.ts'
import { problemsOf, SettingsError } from './problems.ts'
import { isSettingKey, ROWS, SETTINGS, type SettingKey } from './schema.ts'
import { isTable } from './sources.ts'

/** A new value of a setting, or of the part of a map at `path`. Without a value it goes back to its default. */
export interface SettingChange {
  readonly key: SettingKey
  readonly path: readonly string[]
  readonly value: unknown
}

/** `quota.openai.daily_token_limit`. */
export const changeName = ({ key, path }: Pick<SettingChange, 'key' | 'path'>): string => [key, ...path].join('.')

const ALL_KEYS = ROWS.map(([key]) => key)

/**
 * The changes that a patch of the settings asks for: nested tables or dotted keys, as in RFC 7396. `null` takes a value
 * out, a map gains the names that are given, a list is replaced. Throws a `SettingsError` with all that is unknown.
 */
export function changesIn(patch: Readonly<Record<string, unknown>>): SettingChange[] {
  const problems: string[] = []
  const changes: SettingChange[] = []
  const walk = (table: Readonly<Record<string, unknown>>, above: readonly string[]): void => {
    for (const [name, value] of Object.entries(table)) {
      const full = [...above, name].join('.')
      const [key, rest] = settingOf(full)
      if (key !== undefined) changes.push(...changesOf(key, rest, value))
      else if (!ALL_KEYS.some(one => one.startsWith(`${full}.`)))
        problems.push(`there is no setting "${full}"${didYouMean(full, ALL_KEYS)}`)
      else if (isTable(value)) walk(value, [...above, name])
      else problems.push(`${full} is a table of settings; give an object with their names`)
    }
  }
  walk(patch, [])
  if (problems.length > 0) throw new SettingsError(problems)
  return changes
}

/** The orders that a patch asks for: the names of each map whose order counts, where the whole map is given. */
export const ordersIn = (patch: Readonly<Record<string, unknown>>): ReadonlyMap<SettingKey, readonly string[]> =>
  new Map(
    ROWS.flatMap(([key, { ordered }]) => {
      const value = patch[key]
      if (!ordered || !isTable(value)) return []
      return [[key, Object.keys(value).filter(name => value[name] !== null)] as const]
    }),
  )

/** Throws a `SettingsError` with all that the settings' own types find wrong in these values. */
export function checkChanges(changes: readonly SettingChange[]): void {
  const problems = changes.flatMap(({ key, path, value }) => {
    if (value === undefined) return []
    const whole = path.reduceRight<unknown>((inside, name) => ({ [name]: inside }), value)
    return problemsOf(key, SETTINGS[key], whole).map(({ text }) => text)
  })
  if (problems.length > 0) throw new SettingsError(problems)
}

/** The setting of a dotted name, and the names inside where it is a map. */
function settingOf(full: string): readonly [SettingKey, readonly string[]] | readonly [undefined, readonly string[]] {
  if (isSettingKey(full)) return [full, []]
  const [map, row] = ROWS.find(([key, { depth }]) => depth > 0 && full.startsWith(`${key}.`)) ?? []
  if (map === undefined) return [undefined, []]
  const inside = full.slice(map.length + 1)
  // Names that users choose may hold dots (`gpt-4.1`); names of fields do not.
  const dot = row?.depth === 2 ? inside.lastIndexOf('.') : -1
  return [map, dot < 0 ? [inside] : [inside.slice(0, dot), inside.slice(dot + 1)]]
}

function changesOf(key: SettingKey, path: readonly string[], value: unknown): SettingChange[] {
  if (value === null || value === undefined) return [{ key, path, value: undefined }]
  if (path.length >= SETTINGS[key].depth || !isTable(value)) return [{ key, path, value }]
  return Object.entries(value).flatMap(([name, inside]) => changesOf(key, [...path, name], inside))
}
