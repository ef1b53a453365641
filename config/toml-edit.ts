import { isDeepStrictEqual } from 'node:util'
import { parse, parseDocument, patch, stringify } from '@decimalturn/toml-patch'
import { SettingsError } from './problems.ts'
import { isTable } from './sources.ts'

/** One key of a TOML text, by its path; without a value the key is taken out. */
export interface TomlChange {
  readonly path: readonly [string, ...string[]]
  readonly value: unknown
}

type Table = Record<string, unknown>

/**
 * The text with these keys changed: comments, order and all other lines stay. A table that a change empties goes with
 * its last key. Throws a `SettingsError` where the result would not say exactly what was asked; `label` names the file.
 */
export const editToml = (text: string, label: string, changes: readonly TomlChange[]): string =>
  inOrder(changes).reduce((before, change) => editOne(before, label, change), text)

/** What comes before what goes: a table that gets a key for its last one keeps its place and its comments. */
function inOrder(changes: readonly TomlChange[]): readonly TomlChange[] {
  const coming = changes.filter(({ value }) => value !== undefined)
  const going = changes.filter(({ value }) => value === undefined)
  const overlap = going.some(({ path }) => coming.some(one => path.every((name, at) => one.path[at] === name)))
  return overlap ? changes : [...coming, ...going]
}

function editOne(text: string, label: string, { path, value }: TomlChange): string {
  const now = parsed(text)
  const at = path.findIndex((_, index) => index > 0 && !isTable(insideOf(now, path.slice(0, index)) ?? {}))
  if (at > 0 && value !== undefined) {
    const table = path.slice(0, at).join('.')
    throw new SettingsError([
      `${label}: ${table} is no table, so "${path[at]}" cannot be added; write it as [${table}]`,
    ])
  }
  const wanted = value === undefined ? without(now, path) : withValue(now, path, plain(value))
  if (isDeepStrictEqual(now, wanted)) return text
  const edits = [
    () => newLine(text, now, path, value),
    () => patch(text, wanted),
    // The library turns no value into a table: the old one goes first.
    () => newLine(patch(text, without(now, path)), without(now, path), path, value),
    () => patch(patch(text, without(now, path)), wanted),
  ]
  for (const edit of edits) {
    const edited = attempt(edit)
    // The file is the operator's: rather nothing is written than something else.
    if (
      edited !== undefined &&
      isDeepStrictEqual(
        attempt(() => parsed(edited)),
        wanted,
      )
    )
      return edited
  }
  throw new SettingsError([`${label}: ${path.join('.')} cannot be edited without other changes; edit it yourself`])
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

/**
 * A new key in a line of its own: behind the last one of its table, which is added where it is missing. The library
 * would put it behind comments that belong to the next table. `undefined` where the key is known, or no line can say it.
 */
function newLine(text: string, now: Table, path: readonly string[], value: unknown): string | undefined {
  const [name = '', table] = [path.at(-1), path.slice(0, -1)]
  if (value === undefined || insideOf(now, path) !== undefined || isTable(value)) return undefined
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const ended = text === '' || text.endsWith('\n') ? text : text + newline
  const written = stringify({ [name]: value })
    .trimEnd()
    .replaceAll(/\r?\n/g, newline)
  const atEnd = (block: string): string => `${ended}${ended.trim() === '' ? '' : newline}${block}${newline}`
  // [[name]]
  if (isTableList(value)) return table.length === 0 ? atEnd(written) : undefined
  const line = endOfTable(text, table)
  if (line !== undefined) {
    const lines = ended.split('\n')
    const apart = line === 0 && ended.trim() !== '' ? [newline.slice(0, -1)] : []
    lines.splice(line, 0, written + newline.slice(0, -1), ...apart)
    return lines.join('\n')
  }
  return insideOf(now, table) === undefined ? atEnd(`[${table.map(keyOf).join('.')}]${newline}${written}`) : undefined
}

/** The line of the last key of `[table]`, or of those above all tables; `undefined` where it is written in another way. */
function endOfTable(text: string, table: readonly string[]): number | undefined {
  const blocks = parseDocument(text).cst
  if (table.length === 0) {
    const first = blocks.findIndex(({ type }) => type === 'Table' || type === 'TableArray')
    const above = first < 0 ? blocks : blocks.slice(0, first)
    return Math.max(0, ...above.flatMap(block => (block.type === 'KeyValue' ? [block.loc.end.line] : [])))
  }
  for (const block of blocks) {
    if (block.type !== 'Table' || !isDeepStrictEqual([...block.key.item.value], [...table])) continue
    const ends = block.items.flatMap(item => (item.type === 'KeyValue' ? [item.loc.end.line] : []))
    return Math.max(block.key.loc.end.line, ...ends)
  }
  return undefined
}

const keyOf = (name: string): string => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name))

const isTableList = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isTable)

const parsed = (text: string): Table => plainTable(parse(text))

/** A copy of plain objects, whatever prototype the tables had: values that say the same are equal then. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  return isTable(value) ? plainTable(value) : value
}

const plainTable = (table: Table): Table =>
  Object.fromEntries(Object.entries(table).map(([name, inside]) => [name, plain(inside)]))

const insideOf = (table: Table, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (isTable(at) && Object.hasOwn(at, name) ? at[name] : undefined), table)

function withValue(table: Table, path: readonly string[], value: unknown): Table {
  const [name, ...rest] = path
  if (name === undefined) return table
  const inside = insideOf(table, [name])
  return { ...table, [name]: rest.length === 0 ? value : withValue(isTable(inside) ? inside : {}, rest, value) }
}

function without(table: Table, path: readonly string[]): Table {
  const [name, ...rest] = path
  if (name === undefined || !Object.hasOwn(table, name)) return table
  const { [name]: inside, ...others } = table
  if (rest.length === 0) return others
  if (!isTable(inside)) return table
  const left = without(inside, rest)
  return Object.keys(left).length === 0 ? others : { ...table, [name]: left }
}
