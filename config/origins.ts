import { fieldPath } from '../core/json/field-path.ts'
import type { LoadedSettings } from './load.ts'
import { type Place, settingOfEntry } from './providers.ts'
import { isSettingKey, variablesOf } from './schema.ts'

/** What is known of a setting that a pipeline file names, or of the part of it at `path`: its own name, and a clause. */
type SourceOf = (
  setting: string,
  path: readonly PropertyKey[],
) => { readonly setting: string; readonly clause: string } | undefined

/** Where a value of the pipeline comes from that a setting gave, or how to give it one. Quotes no value. */
export function sourcesOf(loaded: LoadedSettings): SourceOf {
  return (setting, path) => {
    const place = placeBehind(loaded, setting, path)
    if (!place) return undefined
    const { key, path: inside } = place
    const name = fieldPath(inside, key)
    if (loaded.sources.get(key)?.kind !== 'default' && valueAt(loaded, place) !== undefined)
      return { setting: name, clause: `${name} comes from ${loaded.placeOf(key, inside)}` }
    const where = inside.length > 0 ? `, ${loaded.placeOf(key, inside)}` : ` in service.toml, or ${variablesOf(key)[0]}`
    return { setting: name, clause: `set ${name}${where}` }
  }
}

/** A derived value is traced back to the setting that it was made of. */
function placeBehind({ values }: LoadedSettings, setting: string, path: readonly PropertyKey[]): Place | undefined {
  if (isSettingKey(setting)) return { key: setting, path }
  return setting === 'provider_entries' ? settingOfEntry(values, path) : undefined
}

const valueAt = ({ values }: LoadedSettings, { key, path }: Place): unknown =>
  path.reduce<unknown>(
    (inside, name) => (typeof inside === 'object' && inside !== null ? Reflect.get(inside, name) : undefined),
    values[key],
  )
