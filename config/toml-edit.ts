import { isDeepStrictEqual } from 'node:util'
import { parse, patch } from '@decimalturn/toml-patch'
import { SettingsError } from './problems.ts'
import { isTable } from './sources.ts'
import { withoutLines } from './toml-lines.ts'
import { newLine } from './toml-new-line.ts'
import { withRecords } from './toml-records.ts'
import { insideOf, isTableList, plain, plainTable, type Table, without, withValue } from './toml-values.ts'

/** One key of a TOML text, by its path; without a value the key is taken out. */
export interface TomlChange {
  readonly path: readonly [string, ...string[]]
  readonly value: unknown
}

/**
 * The text with these keys changed: comments, order and all other lines stay. The head of a table that a change empties
 * goes with its last key. Throws a `SettingsError` where the result would not say exactly what was asked; `label` names the file.
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
  const bare = without(now, path)
  const cleared = () => saying(bare, [() => withoutLines(text, isGone(now, bare)), () => patch(text, bare)])
  const edited = saying(
    wanted,
    value === undefined
      ? [cleared]
      : [
          () => newLine(text, now, path, value),
          () => otherRecords(text, label, insideOf(now, path), { path, value }),
          () => patch(text, wanted),
          // The library turns no value into a table: the old one goes first.
          () => newLine(cleared() ?? text, bare, path, value),
          () => patch(cleared() ?? text, wanted),
        ],
  )
  if (edited !== undefined) return edited
  throw new SettingsError([`${label}: ${path.join('.')} cannot be edited without other changes; edit it yourself`])
}

/** The first of these texts that says just what is wanted. The file is the operator's: rather none than another one. */
function saying(wanted: Table, edits: readonly (() => string | undefined)[]): string | undefined {
  for (const edit of edits) {
    const edited = attempt(edit)
    if (edited === undefined) continue
    const content = attempt(() => parsed(edited))
    if (isDeepStrictEqual(content, wanted)) return edited
  }
  return undefined
}

/** Is what stands at a path not wanted any more? Lists are one value. */
const isGone =
  (now: Table, wanted: Table) =>
  (path: readonly string[]): boolean => {
    for (let length = 1; length <= path.length; length++) {
      const prefix = path.slice(0, length)
      if (insideOf(wanted, prefix) === undefined) return true
      if (!isTable(insideOf(now, prefix))) return false
    }
    return false
  }

function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** Records of a list at the top. The library would put fields behind comments that belong to the next table. */
function otherRecords(text: string, label: string, was: unknown, { path, value }: TomlChange): string | undefined {
  if (path.length > 1 || !isTableList(was) || !isTableList(value)) return undefined
  return withRecords(text, { name: path[0], was }, value.map(plainTable), (lines, before, after) => {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    // In the lines of a record, which have no head, a new list of records would be one of the file.
    const isInline = (name: string): boolean => before[name] === undefined && isTableList(after[name])
    const changes = names.map((name): TomlChange => ({ path: [name], value: after[name] }))
    const edited = editToml(
      lines,
      label,
      changes.filter(({ path: [name] }) => !isInline(name)),
    )
    return names.some(isInline) ? patch(HEAD + edited, { record: [after] }).slice(HEAD.length) : edited
  })
}
const HEAD = '[[record]]\n'

const parsed = (text: string): Table => plainTable(parse(text))
