import { isDeepStrictEqual } from 'node:util'
import { parseDocument, stringify } from '@decimalturn/toml-patch'
import { isTable } from './sources.ts'
import { insideOf, isTableList, type Table } from './toml-values.ts'

/**
 * A new key in a line of its own: behind the last one of its table, which is added where it is missing. The library
 * would put it behind comments that belong to the next table. `undefined` where the key is known, or no line can say it.
 */
export function newLine(text: string, now: Table, path: readonly string[], value: unknown): string | undefined {
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
