import { isDeepStrictEqual } from 'node:util'
import { parse, patch, stringify } from '@decimalturn/toml-patch'
import { isTable } from './sources.ts'

/** One key of a TOML text, by its path; without a value the key is taken out. */
export interface TomlChange {
  readonly path: readonly [string, ...string[]]
  readonly value: unknown
}

/**
 * The text with these keys changed: comments, order and all other lines stay. A table that a change empties goes with
 * its last key. Throws when the result would not say exactly what was asked.
 */
export function editToml(text: string, changes: readonly TomlChange[]): string {
  return changes.reduce((before, change) => editOne(before, change), text)
}

function editOne(text: string, { path, value }: TomlChange): string {
  const now = parsed(text)
  const wanted = value === undefined ? without(now, path) : withValue(now, path, plain(value))
  if (isDeepStrictEqual(now, wanted)) return text
  const [name] = path
  const edits = [
    () => changed(text, now, wanted, name),
    // The library does not turn a value into a table: the old one goes first.
    () => changed(patch(text, without(now, path)), without(now, path), wanted, name),
    () => changed(patch(text, without(now, [name])), without(now, [name]), wanted, name),
  ]
  for (const edit of edits) {
    const edited = attempt(edit)
    if (
      edited !== undefined &&
      isDeepStrictEqual(
        attempt(() => parsed(edited)),
        wanted,
      )
    )
      return edited
  }
  throw new Error(`this TOML cannot be edited at ${path.join('.')}`)
}

type Table = Record<string, unknown>

/** The library puts new keys at the top below the comment of the next table, and knows no new list of tables. */
function changed(text: string, now: Table, wanted: Table, name: string): string {
  const value = wanted[name]
  if (Object.hasOwn(now, name) || value === undefined || isTable(value)) return patch(text, wanted)
  return isTableList(value) ? withTablesAtEnd(text, name, value) : withTopLine(text, name, value)
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

const parsed = (text: string): Table => plainTable(parse(text))

/** A copy of plain objects, whatever prototype the tables had: values that say the same are equal then. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  return isTable(value) ? plainTable(value) : value
}

const plainTable = (table: Table): Table =>
  Object.fromEntries(Object.entries(table).map(([name, inside]) => [name, plain(inside)]))

const isTableList = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isTable)

function withValue(table: Table, path: readonly string[], value: unknown): Table {
  const [name, ...rest] = path
  if (name === undefined) return table
  const inside = table[name]
  return { ...table, [name]: rest.length === 0 ? value : withValue(isTable(inside) ? inside : {}, rest, value) }
}

function without(table: Table, path: readonly string[]): Table {
  const [name, ...rest] = path
  if (name === undefined || !Object.hasOwn(table, name)) return table
  const { [name]: inside, ...others } = table
  if (rest.length === 0 || !isTable(inside)) return rest.length === 0 ? others : table
  const left = without(inside, rest)
  return Object.keys(left).length === 0 ? others : { ...table, [name]: left }
}

const newLineOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

const written = (text: string, name: string, value: unknown): string =>
  `${stringify({ [name]: value }).trimEnd()}\n`.replaceAll(/\r?\n/g, newLineOf(text))

function withTablesAtEnd(text: string, name: string, value: unknown): string {
  const newLine = newLineOf(text)
  const apart = text.trim() === '' ? '' : newLine
  return (text === '' || text.endsWith('\n') ? text : text + newLine) + apart + written(text, name, value)
}

/** After the last key above all tables, so that a comment that leads a table stays with it. */
function withTopLine(text: string, name: string, value: unknown): string {
  const newLine = newLineOf(text)
  const at = endOfTopKeys(text)
  const before = text.slice(0, at)
  const ended = before === '' || before.endsWith('\n') ? before : before + newLine
  const after = text.slice(at)
  const apart = before.trim() === '' && after.trim() !== '' ? newLine : ''
  return ended + written(text, name, value) + apart + after
}

/** The offset of the line after the last key above all tables; without such a key, that of the text's beginning. */
function endOfTopKeys(text: string): number {
  const lines = [...text.matchAll(/[^\n]*(?:\n|$)/g)].map(({ index, 0: line }) => ({ index, line }))
  const first = lines.findIndex(({ line }) => /^\s*\[/.test(line))
  for (let count = first < 0 ? lines.length : first; count > 0; count--) {
    const last = lines[count - 1]
    if (last && !/^\s*(?:#|$)/.test(last.line)) return last.index + last.line.length
  }
  return 0
}
