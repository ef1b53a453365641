import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parse, parseDocument, patch } from '@decimalturn/toml-patch'
import { SettingsError } from './problems.ts'
import { isTable } from './sources.ts'
import { codeOf, readToml } from './toml-file.ts'

/** A text value of a table. */
export interface TomlEntry {
  readonly table: string
  readonly name: string
  readonly value: string
}

const NEW_FILE_MODE = 0o600

/**
 * Sets a text value in a settings file, which is created where there is none. All other bytes stay, comments too. The
 * file is replaced at once. False where it already said so. Throws a `SettingsError` for a file that is not TOML.
 */
export function setInToml(path: string, label: string, entry: TomlEntry): boolean {
  const source = sourceOf(path, label)
  const edited = withEntry(source, label, entry)
  if (edited === source) return false
  replace(path, label, edited)
  return true
}

/** Empty where there is no file. */
function sourceOf(path: string, label: string): string {
  if (!existsSync(path)) return ''
  readToml({ path, label }) // says what is wrong with it
  return readFileSync(path, 'utf8')
}

/** The source of a settings file with this value. */
export function withEntry(source: string, label: string, { table, name, value }: TomlEntry): string {
  const content: Record<string, unknown> = parse(source)
  const before = content[table] ?? {}
  if (!isTable(before))
    throw new SettingsError([`${label}: ${table} is no table, so "${name}" cannot be added; write it as [${table}]`])
  if (before[name] === value) return source
  const wanted = { ...content, [table]: { ...before, [name]: value } }
  const edited =
    (name in before ? undefined : appended(source, table, `${keyOf(name)} = ${JSON.stringify(value)}`)) ??
    patch(source, wanted)
  // The file is the operator's: rather nothing is written than something else.
  if (isDeepStrictEqual(plain(parse(edited)), plain(wanted))) return edited
  throw new SettingsError([`${label}: "${name}" cannot be added to ${table} without other changes; add it yourself`])
}

/**
 * The source with a line behind the last one of `[table]`, which is added where it is missing; `undefined` where the file
 * writes the table in another way. The library would put it behind comments that belong to the next table.
 */
function appended(source: string, table: string, line: string): string | undefined {
  const newline = source.includes('\r\n') ? '\r\n' : '\n'
  const ended = source === '' || source.endsWith('\n') ? source : source + newline
  for (const block of parseDocument(source).cst) {
    if (block.type !== 'Table' || block.key.item.value.join('.') !== table) continue
    const ends = block.items.flatMap(item => (item.type === 'KeyValue' ? [item.loc.end.line] : []))
    const lines = ended.split('\n')
    lines.splice(Math.max(block.key.loc.end.line, ...ends), 0, line + newline.slice(0, -1))
    return lines.join('\n')
  }
  if (Object.hasOwn(parse(source), table)) return undefined
  return `${ended}${ended === '' ? '' : newline}[${table}]${newline}${line}${newline}`
}

const keyOf = (name: string): string => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name))

/** Dates and the like compare by what they say. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Writes beside the file and renames; a link stays a link, and the mode stays. */
function replace(path: string, label: string, text: string): void {
  try {
    const real = existsSync(path) ? realpathSync(path) : path
    const mode = existsSync(real) ? statSync(real).mode & 0o777 : NEW_FILE_MODE
    const temporary = join(dirname(real), `.${basename(real)}.${randomBytes(6).toString('hex')}.tmp`)
    const file = openSync(temporary, 'wx', mode)
    try {
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    try {
      renameSync(temporary, real)
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    }
  } catch (error) {
    throw new SettingsError([`${label}: cannot be written (${codeOf(error)}); check its folder and your permissions`])
  }
}
