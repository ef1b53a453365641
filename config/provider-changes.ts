import type { SettingChange } from './changes.ts'
import { SettingsError } from './problems.ts'
import { providerNames } from './provider-names.ts'
import { PRIMARY } from './providers.ts'
import type { SettingValues } from './schema.ts'
import { unmask } from './unmask.ts'

type Fields = Readonly<Record<string, unknown>>

/** A new provider; `position` is its place in the chain, in which the primary is 0. At the end without it. */
export function addedProvider(values: SettingValues, entry: Fields, position?: number): SettingChange[] {
  const list: Fields[] = [...values.fallback_providers]
  const at = position === undefined ? list.length : placeIn(position, list.length + 1)
  return fallbacks(values, list.toSpliced(at, 0, entry), [...indices(list)].toSpliced(at, 0, -1))
}

/** Fields of a provider; `null` takes one out, and a masked key stays as it is. */
export function editedProvider(values: SettingValues, name: string, fields: Fields): SettingChange[] {
  const at = indexOf(values, name)
  if (at === 0) return Object.entries(fields).map(([field, value]) => primaryChange(field, value))
  const list: Fields[] = [...values.fallback_providers]
  const known = list[at - 1] ?? {}
  const merged = { ...known, ...tableOf(unmask(fields, known, true)) }
  const entry = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
  return fallbacks(values, list.with(at - 1, entry), [...indices(list)])
}

export function removedProvider(values: SettingValues, name: string): SettingChange[] {
  const at = fallbackIndexOf(values, name)
  return fallbacks(
    values,
    values.fallback_providers.toSpliced(at, 1),
    [...indices(values.fallback_providers)].toSpliced(at, 1),
  )
}

export function movedProvider(values: SettingValues, name: string, position: number): SettingChange[] {
  const from = fallbackIndexOf(values, name)
  const list = values.fallback_providers
  const to = placeIn(position, list.length)
  const order = [...indices(list)].toSpliced(from, 1).toSpliced(to, 0, from)
  return fallbacks(
    values,
    order.flatMap(index => list[index] ?? []),
    order,
  )
}

const indices = (list: readonly unknown[]): ArrayIterator<number> => list.keys()

const tableOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? { ...value } : {})

/**
 * The new list. An entry without a name of its own is called after its vendor and its place (`groq-2`); where its place
 * would change what it is called, the name is written down, because quotas and routes go by it.
 */
function fallbacks(values: SettingValues, list: readonly Fields[], cameFrom: readonly number[]): SettingChange[] {
  const before = providerNames(values)
  const named = [...list]
  for (const [at, from] of cameFrom.entries()) {
    const [entry, known] = [named[at], from < 0 ? undefined : before[from + 1]]
    const now = providerNames({ llm_provider: values.llm_provider, fallback_providers: named.map(identity) })[at + 1]
    if (entry && known !== undefined && entry.name === undefined && now !== known) named[at] = { ...entry, name: known }
  }
  return [{ key: 'fallback_providers', path: [], value: named.length === 0 ? undefined : named }]
}

/** What is not text is refused later, by the setting's own type. */
const identity = ({ provider, name }: Fields) => ({
  provider: String(provider),
  ...(typeof name === 'string' && { name }),
})

/** The primary's fields are settings of their own. */
function primaryChange(field: string, value: unknown): SettingChange {
  const key = Object.entries(PRIMARY).find(([known]) => known === field)?.[1]
  if (key === undefined) {
    const known = Object.keys(PRIMARY).join(', ')
    throw new SettingsError([`${field} is no field of the primary provider, which has ${known}`])
  }
  return { key, path: [], value: value === null ? undefined : value }
}

function indexOf(values: SettingValues, name: string): number {
  const names = providerNames(values)
  const at = names.indexOf(name)
  if (at < 0) throw new SettingsError([`name: there is no provider "${name}"; there are ${names.join(', ')}`])
  return at
}

function fallbackIndexOf(values: SettingValues, name: string): number {
  const at = indexOf(values, name)
  if (at === 0) {
    throw new SettingsError([
      `name: "${name}" is the primary provider, which always comes first; set llm_provider to have another one`,
    ])
  }
  return at - 1
}

/** The index in the list of fallbacks. */
function placeIn(position: number, places: number): number {
  if (Number.isInteger(position) && position >= 1 && position <= places) return position - 1
  throw new SettingsError([
    `position: must be a whole number from 1 to ${places}; 0 is the primary provider, which llm_provider chooses`,
  ])
}
