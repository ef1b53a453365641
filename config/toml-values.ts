import { isTable } from './sources.ts'

/** What a TOML text says, by key. */
export type Table = Record<string, unknown>

export const isTableList = (value: unknown): value is Table[] =>
  Array.isArray(value) && value.length > 0 && value.every(isTable)

/** A copy of plain objects, whatever prototype the tables had: values that say the same are equal then. */
export const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  return isTable(value) ? plainTable(value) : value
}

export const plainTable = (table: Table): Table =>
  Object.fromEntries(Object.entries(table).map(([name, inside]) => [name, plain(inside)]))

export const insideOf = (table: Table, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (isTable(at) && Object.hasOwn(at, name) ? at[name] : undefined), table)

export function withValue(table: Table, path: readonly string[], value: unknown): Table {
  const [name, ...rest] = path
  if (name === undefined) return table
  const inside = insideOf(table, [name])
  return { ...table, [name]: rest.length === 0 ? value : withValue(isTable(inside) ? inside : {}, rest, value) }
}

/** A table that loses its last key is gone, too. */
export function without(table: Table, path: readonly string[]): Table {
  const [name, ...rest] = path
  if (name === undefined || !Object.hasOwn(table, name)) return table
  const { [name]: inside, ...others } = table
  if (rest.length === 0) return others
  if (!isTable(inside)) return table
  const left = without(inside, rest)
  return Object.keys(left).length === 0 ? others : { ...table, [name]: left }
}
