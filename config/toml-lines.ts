import { parseDocument, type TomlDocument } from '@decimalturn/toml-patch'

type Block = TomlDocument['cst'][number]

/** Lines of a TOML text from the first to the last, 1-based. */
interface Span {
  readonly first: number
  readonly last: number
}

/**
 * The text without the lines of what is gone. Comments with a line of their own stay: what they are about may come back.
 * Only a record of a list takes along those between its lines.
 */
export function withoutLines(text: string, isGone: (path: readonly string[]) => boolean): string {
  const spans = parseDocument(text).cst.flatMap(block => gone(block, isGone))
  const lines: readonly (string | undefined)[] = text.split('\n')
  const kept = spans.reduce((left, { first, last }) => {
    const blanked = left.map((line, at) => (at >= first - 1 && at < last ? undefined : line))
    // Of the blank lines on both sides one is enough.
    const above = blanked.slice(0, first - 1).findLast(line => line !== undefined)
    return isBlank(above ?? '') && isBlank(blanked[last]) ? blanked.with(last, undefined) : blanked
  }, lines)
  return kept.filter(line => line !== undefined).join('\n')
}

function gone(block: Block, isGone: (path: readonly string[]) => boolean): Span[] {
  if (block.type === 'KeyValue') return isGone(block.key.value) ? [spanOf(block)] : []
  if (block.type !== 'Table' && block.type !== 'TableArray') return []
  const path = block.key.item.value
  const values = block.items.flatMap(item => (item.type === 'KeyValue' ? [item] : []))
  const head = spanOf(block.key)
  if (block.type === 'Table')
    return [
      ...(isGone(path) ? [head] : []),
      ...values.flatMap(item => (isGone([...path, ...item.key.value]) ? [spanOf(item)] : [])),
    ]
  return isGone(path)
    ? [{ first: head.first, last: Math.max(head.last, ...values.map(item => spanOf(item).last)) }]
    : []
}

const spanOf = ({
  loc,
}: {
  readonly loc: { readonly start: { line: number }; readonly end: { line: number } }
}): Span => ({
  first: loc.start.line,
  last: loc.end.line,
})

const isBlank = (line: string | undefined): boolean => line !== undefined && line.trim() === ''

/** The last line of each value. */
export const keyLines = (blocks: readonly Block[]): readonly number[] =>
  blocks.flatMap(block => {
    if (block.type === 'KeyValue') return [spanOf(block).last]
    if (block.type !== 'Table' && block.type !== 'TableArray') return []
    return block.items.flatMap(item => (item.type === 'KeyValue' ? [spanOf(item).last] : []))
  })
