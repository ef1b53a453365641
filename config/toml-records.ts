import { isDeepStrictEqual } from 'node:util'
import { parseDocument, stringify } from '@decimalturn/toml-patch'
import { keyLines } from './toml-lines.ts'

type Fields = Readonly<Record<string, unknown>>

/** A list of records as a text has it, each under `[[name]]`. */
export interface RecordList {
  readonly name: string
  readonly was: readonly Fields[]
}

/** Changes the fields of a record in the lines below its head. */
export type EditFields = (lines: string, was: Fields, wanted: Fields) => string

/** A record and the lines of it. */
interface Placed {
  /** Comments right above its head. */
  readonly lead: readonly string[]
  readonly head: string
  readonly fields: readonly string[]
  /** The place of all these, in lines counted from 0. */
  readonly from: number
  readonly to: number
}

/**
 * The text with other records in a list. Comments go along with the record that they stand in or right above; those above
 * a record that goes stay. `undefined` where the list is written in another way.
 */
export function withRecords(
  text: string,
  { name, was }: RecordList,
  wanted: readonly Fields[],
  edit: EditFields,
): string | undefined {
  if (text.includes('\r\n'))
    return withRecords(text.replaceAll('\r\n', '\n'), { name, was }, wanted, edit)?.replaceAll('\n', '\r\n')
  const lines = text.split('\n')
  const placed = placesOf(text, lines, name)
  if (placed?.length !== was.length) return undefined
  const origins = originsOf(was, wanted)
  const written = wanted.map((record, at) => {
    const origin = origins[at]
    const place = origin === undefined ? undefined : placed[origin]
    const before = origin === undefined ? undefined : was[origin]
    if (!place || !before) return newRecord(name, record)
    const below = place.fields.join('\n')
    const fields = isDeepStrictEqual(before, record)
      ? below
      : inside(name, edit(`${alone(name, below)}\n`, before, record).replace(/\n$/, ''))
    return [...place.lead, place.head, ...(fields === '' ? [] : fields.split('\n'))]
  })
  const slots = isInOrder(origins) ? staying(placed, origins, written) : moved(placed, origins, written)
  return filled(lines, placed, slots).join('\n')
}

/** The lines of a record by themselves: `[[name.keys]]` is `[[keys]]`. */
const alone = (name: string, lines: string): string =>
  lines.replace(/^(\s*\[\[?\s*)([\w-]+)\s*\.\s*/gm, (head, open, first) => (first === name ? open : head))
/** And back. */
const inside = (name: string, lines: string): string => lines.replace(/^(\s*\[\[?\s*)(?=[\w"'-])/gm, `$1${name}.`)

/** `undefined` where the list is one of tables with a name each. */
function placesOf(text: string, lines: readonly string[], name: string): Placed[] | undefined {
  const blocks = parseDocument(text).cst
  const values = keyLines(blocks)
  const places: Placed[] = []
  for (const block of blocks) {
    if (block.type !== 'Table' && block.type !== 'TableArray') continue
    const [first, ...inner] = block.key.item.value
    if (first !== name) continue
    const head = block.key.loc.start.line - 1
    const ends = block.items.flatMap(item => (item.type === 'KeyValue' ? [item.loc.end.line] : []))
    const to = Math.max(head + 1, ...ends)
    const last = places.at(-1)
    if (inner.length > 0 && last) {
      // A table of the record, with what stands between the two.
      places[places.length - 1] = { ...last, fields: lines.slice(last.from + last.lead.length + 1, to), to }
      continue
    }
    if (block.type === 'Table') return undefined
    const above = Math.max(0, ...values.filter(line => line <= head))
    let from = head
    while (from > above && /^\s*#/.test(lines[from - 1] ?? '')) from--
    places.push({
      lead: lines.slice(from, head),
      head: lines[head] ?? '',
      fields: lines.slice(head + 1, to),
      from,
      to,
    })
  }
  return places
}

/** Which record each one was before: the same one, else the one in its place, else the one that is most like it. */
function originsOf(was: readonly Fields[], wanted: readonly Fields[]): readonly (number | undefined)[] {
  const free = new Set(was.keys())
  const taken = (at: number | undefined): number | undefined => (at !== undefined && free.delete(at) ? at : undefined)
  const same = wanted.map(record => taken([...free].find(at => isDeepStrictEqual(was[at], record))))
  return wanted.map((record, at) => {
    const known = same[at]
    if (known !== undefined) return known
    if (was.length === wanted.length && free.has(at)) return taken(at)
    const likeness = (other: number): number =>
      Object.entries(was[other] ?? {}).filter(([key, value]) => isDeepStrictEqual(record[key], value)).length
    const [most] = [...free].filter(other => likeness(other) > 0).toSorted((a, b) => likeness(b) - likeness(a))
    return taken(most)
  })
}

function isInOrder(origins: readonly (number | undefined)[]): boolean {
  const known = origins.filter(origin => origin !== undefined)
  return known.every((origin, at) => at === 0 || origin > (known[at - 1] ?? 0))
}

/** Lines in place of each record, and behind the last one. */
type Slots = readonly (readonly (readonly string[])[])[]

/** Each record in its own place, new ones before the one that follows them. */
function staying(
  placed: readonly Placed[],
  origins: readonly (number | undefined)[],
  written: readonly (readonly string[])[],
): Slots {
  let next = 0
  const slots = placed.map(({ lead }, slot): readonly (readonly string[])[] => {
    const at = origins.indexOf(slot)
    if (at < 0) return lead.length > 0 ? [lead] : []
    const here = written.slice(next, at + 1)
    next = at + 1
    return here
  })
  return [...slots, written.slice(next)]
}

/** The records in their new order, in the places that there are. */
function moved(
  placed: readonly Placed[],
  origins: readonly (number | undefined)[],
  written: readonly (readonly string[])[],
): Slots {
  const left = placed.flatMap(({ lead }, slot) => (origins.includes(slot) || lead.length === 0 ? [] : [lead]))
  const slots = placed.map((_, slot) => {
    const lines = written[slot]
    return lines ? [lines] : left.splice(0)
  })
  return [...slots, [...left, ...written.slice(placed.length)]]
}

function filled(lines: readonly string[], placed: readonly Placed[], slots: Slots): readonly string[] {
  const isBlank = (line: string | undefined): boolean => line !== undefined && line.trim() === ''
  let next = 0
  const out: string[] = []
  for (const [at, { from, to }] of placed.entries()) {
    out.push(...lines.slice(next, from))
    const groups = slots[at] ?? []
    for (const [place, group] of groups.entries()) out.push(...(place > 0 ? [''] : []), ...group)
    next = to
    // Of the blank lines on both sides of a record that goes, one is enough.
    if (groups.length === 0 && isBlank(lines[next]) && (out.length === 0 || isBlank(out.at(-1)))) next++
  }
  for (const group of slots.at(-1) ?? []) out.push('', ...group)
  return [...out, ...lines.slice(next)]
}

const newRecord = (name: string, record: Fields): readonly string[] =>
  stringify({ [name]: [record] })
    .trim()
    .split('\n')
