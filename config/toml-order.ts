import { isDeepStrictEqual } from 'node:util'
import { parse } from '@decimalturn/toml-patch'
import { SettingsError } from './problems.ts'
import { isTable } from './sources.ts'
import { placesIn } from './toml-places.ts'

/**
 * The text with the keys of `[table]` in the order of `names`. Each keeps its value, and in lines of its own the comments
 * above and behind it. Names that are not in the text do not count, and a text with other names stays. Throws a
 * `SettingsError` where the table is written in another way; `label` names the file.
 */
export function orderToml(text: string, label: string, table: string, names: readonly string[]): string {
  const inside = tableIn(text, table) ?? {}
  const now = Object.keys(inside)
  const wanted = names.filter(name => Object.hasOwn(inside, name))
  if (isDeepStrictEqual(now, wanted) || wanted.length < now.length) return text
  const places = placesIn(text, table)
  const moved = [...places.values()].reduceRight((all, slot, at) => {
    const one = places.get(wanted[at] ?? '')
    return one ? all.slice(0, slot.from) + text.slice(one.from, one.end) + all.slice(slot.end) : all
  }, text)
  const entries = Object.entries(tableIn(moved, table) ?? {})
  if (
    isDeepStrictEqual(
      entries,
      wanted.map(name => [name, inside[name]]),
    )
  )
    return moved
  throw new SettingsError([`${label}: ${table} cannot be put in another order; edit it yourself`])
}

/** `undefined` where the text is not TOML: the parser's own message would quote the line. */
function tableIn(text: string, table: string): Record<string, unknown> | undefined {
  try {
    const found = parse(text)[table]
    return isTable(found) ? found : {}
  } catch {
    return undefined
  }
}
