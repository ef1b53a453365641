import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseDocument, type TomlDocument } from '@decimalturn/toml-patch'
import { SettingsError } from './problems.ts'

export const FILE_NAME = 'service.toml'

/** A parsed settings file. */
export interface TomlFile {
  /** The path for messages: relative in the working directory, absolute elsewhere. */
  readonly label: string
  readonly path: string
  readonly content: Readonly<Record<string, unknown>>
  /** The line on which the deepest known part of this path is written; 1-based. */
  lineOf(path: readonly PropertyKey[]): number
}

/** Where a settings file is: its path, and the label for messages. */
export interface TomlPlace {
  readonly path: string
  readonly label: string
}

/** The `service.toml` of the working directory, else that of the data directory; the two are never merged. */
export function findToml(cwd: string, dataDir: string): TomlPlace | undefined {
  const here = join(cwd, FILE_NAME)
  if (existsSync(here)) return { path: here, label: FILE_NAME }
  const there = join(dataDir, FILE_NAME)
  return existsSync(there) ? { path: there, label: there } : undefined
}

/** Throws a `SettingsError` when the file cannot be read or is not TOML. */
export const readToml = (place: TomlPlace): TomlFile => parseToml(place, readText(place))

/** Throws a `SettingsError` when the file cannot be read. */
export function readText({ path, label }: TomlPlace): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new SettingsError([
      `${label}: cannot be read (${codeOf(error)}); check that it is a file and that you may read it`,
    ])
  }
}

/** Throws a `SettingsError` when the text is not TOML. */
export function parseToml({ path, label }: TomlPlace, source: string): TomlFile {
  try {
    const document = parseDocument(source)
    const content: Readonly<Record<string, unknown>> = document.toJsObject
    const lines = linesOf(document.cst)
    return { label, path, content, lineOf: keys => nearest(lines, keys) }
  } catch (error) {
    throw new SettingsError([tomlProblem(label, source, error)])
  }
}

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : String(error)

/** The parser's message quotes the broken line, which may hold a key: its last line is the reason, and no value of it is told. */
function tomlProblem(label: string, source: string, error: unknown): string {
  const at = error instanceof Error && 'line' in error && typeof error.line === 'number' ? error.line : undefined
  const said = error instanceof Error ? (error.message.split('\n').at(-1) ?? '') : 'unreadable'
  const reason = unquoted(source.split('\n')[(at ?? 0) - 1] ?? '', said) ?? said.replaceAll(/"[^"]{2,}"/g, 'a value')
  return `${label}${at === undefined ? '' : `:${at}`}: this is not valid TOML (${reason}); correct this line`
}

/** Text without quotes: the parser takes it for a number. */
function unquoted(line: string, said: string): string | undefined {
  const [, name = '', value = ''] = /^\s*([\w.-]+)\s*=\s*(.*)$/.exec(line) ?? []
  const isOdd =
    /^Invalid (?:integer|float|number)/.test(said) || (/^Unexpected char/.test(said) && /^[^"']/.test(value))
  if (!isOdd) return undefined
  return `text stands in quotes${/^[^[{]/.test(value) ? `: ${name} = "..."` : ''}`
}

type Block = TomlDocument['cst'][number]
type KeyValue = Extract<Block, { key: { value: string[] } }>

const pathKey = (path: readonly PropertyKey[]): string => JSON.stringify(path.map(String))

/** The line of each key by its path; array items by their index. */
function linesOf(blocks: readonly Block[]): ReadonlyMap<string, number> {
  const lines = new Map<string, number>()
  const counted = new Map<string, number>()
  const note = (path: readonly PropertyKey[], line: number): void => {
    for (let length = 1; length <= path.length; length++) {
      const key = pathKey(path.slice(0, length))
      if (!lines.has(key)) lines.set(key, line)
    }
  }
  const inside = (value: unknown, path: readonly PropertyKey[]): void => {
    if (typeof value !== 'object' || value === null || !('items' in value) || !Array.isArray(value.items)) return
    for (const [index, one] of value.items.entries()) {
      if (isKeyValue(one.item)) keyValue(one.item, path)
      else {
        note([...path, index], one.item.loc.start.line)
        inside(one.item, [...path, index])
      }
    }
  }
  const keyValue = (entry: KeyValue, under: readonly PropertyKey[]): void => {
    const path = [...under, ...entry.key.value]
    note(path, entry.loc.start.line)
    inside(entry.value, path)
  }
  /** `[[a]]` then `[a.b]`: the table belongs to the last item of `a`. */
  const settled = (keys: readonly string[]): PropertyKey[] => {
    const path: PropertyKey[] = []
    for (const key of keys) {
      path.push(key)
      const count = counted.get(pathKey(path))
      if (count !== undefined) path.push(count - 1)
    }
    return path
  }
  for (const block of blocks) {
    if (isKeyValue(block)) keyValue(block, [])
    if (!('items' in block)) continue
    const keys = block.key.item.value
    if (block.type === 'TableArray') {
      const path = [...settled(keys.slice(0, -1)), keys.at(-1) ?? '']
      counted.set(pathKey(path), (counted.get(pathKey(path)) ?? 0) + 1)
    }
    const path = settled(keys)
    note(path, block.loc.start.line)
    for (const item of block.items) if (isKeyValue(item)) keyValue(item, path)
  }
  return lines
}

const isKeyValue = (node: unknown): node is KeyValue =>
  typeof node === 'object' && node !== null && 'type' in node && node.type === 'KeyValue'

function nearest(lines: ReadonlyMap<string, number>, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length--) {
    const line = lines.get(pathKey(path.slice(0, length)))
    if (line !== undefined) return line
  }
  return 1
}
