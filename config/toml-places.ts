import { parseDocument, type TomlDocument } from '@decimalturn/toml-patch'

type Block = TomlDocument['cst'][number]

/** Characters of a text, from one on and without the end. */
interface Place {
  readonly from: number
  readonly end: number
}

/** Where a parsed piece of the text is; lines count from 1, columns from 0. */
interface Located {
  readonly loc: { readonly start: Position; readonly end: Position }
}
interface Position {
  readonly line: number
  readonly column: number
}

/**
 * Where each key of a table stands: below its head or with dots, lines with the comments right above them; in braces,
 * the key and its value alone. No place has the end of its last line.
 */
export function placesIn(text: string, table: string): Map<string, Place> {
  const lines = text.split('\n')
  const starts = startsOf(lines)
  const places = new Map<string, Place>()
  /** The last line of what stands before. */
  let above = 0
  const inLines = (name: string, { loc }: Located): void => {
    let first = loc.start.line
    while (first - 1 > above && /^\s*#/.test(lines[first - 2] ?? '')) first--
    const last = (lines[loc.end.line - 1] ?? '').replace(/\r$/, '')
    places.set(name, { from: starts[first - 1] ?? 0, end: (starts[loc.end.line - 1] ?? 0) + last.length })
  }
  const offset = ({ line, column }: Position): number => (starts[line - 1] ?? 0) + column

  for (const block of parseDocument(text).cst) {
    if (block.type === 'Table') {
      above = block.key.loc.end.line
      const isIt = block.key.item.value.length === 1 && block.key.item.value[0] === table
      for (const item of block.items) {
        if (item.type !== 'KeyValue') continue
        if (isIt) inLines(item.key.value[0] ?? '', item)
        above = item.loc.end.line
      }
    }
    if (block.type !== 'KeyValue') continue
    const [first, name] = block.key.value
    if (first === table && name !== undefined) inLines(name, block)
    else if (first === table)
      for (const { key, loc } of itemsInBraces(block))
        places.set(key.value[0] ?? '', { from: offset(loc.start), end: offset(loc.end) })
    above = block.loc.end.line
  }
  return places
}

function itemsInBraces({ value }: Extract<Block, { type: 'KeyValue' }>) {
  if (value.type !== 'InlineTable') return []
  return value.items.map(({ item }) => item)
}

/** The offset of each line. */
function startsOf(lines: readonly string[]): readonly number[] {
  let next = 0
  return lines.map(line => {
    const start = next
    next += line.length + 1
    return start
  })
}
