import { isDeepStrictEqual } from 'node:util'
import { parse, parseDocument } from '@decimalturn/toml-patch'
import { SettingsError } from './problems.ts'
import { isTable } from './sources.ts'

/** Lines of a text, from one on and without the end. */
interface Lines {
  readonly from: number
  readonly end: number
}

/**
 * The text with the keys of `[table]` in the order of `names`; each keeps its value and the comments above and behind it.
 * Names that are not in the text do not count, and a text with other names stays. Throws a `SettingsError` where the
 * table is written in another way; `label` names the file.
 */
export function orderToml(text: string, label: string, table: string, names: readonly string[]): string {
  const inside = tableIn(text, table)
  const now = Object.keys(inside)
  const wanted = names.filter(name => Object.hasOwn(inside, name))
  if (isDeepStrictEqual(now, wanted) || wanted.length < now.length) return text
  const lines = text.split('\n')
  const places = placesIn(text, lines, table)
  const ordered = [...places.values()].reduceRight((all, slot, at) => {
    const moved = places.get(wanted[at] ?? '')
    return moved ? all.toSpliced(slot.from, slot.end - slot.from, ...lines.slice(moved.from, moved.end)) : all
  }, lines)
  const moved = ordered.join('\n')
  const after = tableIn(moved, table)
  if (
    !isDeepStrictEqual(
      Object.entries(after),
      wanted.map(name => [name, inside[name]]),
    )
  )
    throw new SettingsError([`${label}: ${table} cannot be put in another order; edit it yourself`])
  return moved
}

function tableIn(text: string, table: string): Record<string, unknown> {
  const found = parse(text)[table]
  return isTable(found) ? found : {}
}

/** Where each key of `[table]` stands, with the comments right above it. */
function placesIn(text: string, lines: readonly string[], table: string): Map<string, Lines> {
  const places = new Map<string, Lines>()
  let above = 0
  for (const block of parseDocument(text).cst) {
    if (block.type !== 'Table' || !isDeepStrictEqual([...block.key.item.value], [table])) continue
    above = block.key.loc.end.line
    for (const item of block.items) {
      if (item.type !== 'KeyValue') continue
      let from = item.loc.start.line - 1
      while (from > above && /^\s*#/.test(lines[from - 1] ?? '')) from--
      places.set(item.key.value[0] ?? '', { from, end: item.loc.end.line })
      above = item.loc.end.line
    }
  }
  return places
}
