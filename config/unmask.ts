import { isDeepStrictEqual } from 'node:util'
import { fieldPath } from '../core/json/field-path.ts'
import { isSecretField, maskSecret, maskValue } from './mask.ts'
import { SettingsError } from './problems.ts'
import { isTable } from './sources.ts'

/** A masked secret that stands for none of those that are set. */
class UnknownMask extends SettingsError {
  constructor(field: string) {
    super([`${field} is a masked value that is not set; send the whole one, or leave it out`])
  }
}

/** A masked secret that may stand for several of those that are set. */
class AmbiguousMask extends SettingsError {
  constructor(place: string) {
    super([`${place} has a masked value that may stand for several that are set; send the whole one`])
  }
}

/**
 * A value as an operator sends it back, with each masked secret replaced by the one that is set. `at` is the name of the
 * whole. Throws a `SettingsError` where a masked secret stands for none, or may stand for several.
 */
export function unmask(sent: unknown, set: unknown, secret: boolean, at = ''): unknown {
  if (typeof sent === 'string') return unmaskText(sent, set, secret, at)
  if (Array.isArray(sent)) return unmaskList(sent, Array.isArray(set) ? set : [], secret, at)
  if (!isTable(sent)) return sent
  const known = isTable(set) ? set : {}
  const field = (name: string, inside: unknown): unknown => {
    // A text inside a record is a secret by its field's name only.
    const hidden = secret && (isSecretField(name) || typeof inside !== 'string')
    return unmask(inside, known[name], hidden, fieldPath([name], at))
  }
  return Object.fromEntries(Object.entries(sent).map(([name, inside]) => [name, field(name, inside)]))
}

function unmaskText(sent: string, set: unknown, secret: boolean, at: string): string {
  const shown = (text: string): unknown => (secret ? maskSecret(text) : maskValue(text, false))
  if (typeof set === 'string' && set !== '' && sent === shown(set)) return set
  const isMasked = sent.includes('…') && (secret || /^[a-z][a-z0-9+.-]*:\/\//i.test(sent))
  if (isMasked) throw new UnknownMask(at)
  return sent
}

/** Where the masks of an item fit several records that differ, the one that it was has to be found. */
function unmaskList(sent: readonly unknown[], known: readonly unknown[], secret: boolean, at: string): unknown[] {
  const owners = ownersOf(sent, known, secret)
  return sent.map((one, index) => {
    const place = fieldPath([index], at)
    const read = (owner: unknown): unknown => attempt(() => unmask(one, owner, secret, place))
    const plain = read(undefined)
    if (!(plain instanceof SettingsError)) return plain
    const [only = plain, ...others] = known.map(read).filter(found => !(found instanceof UnknownMask))
    const owner = owners.get(index)
    const isClear = others.every(other => isDeepStrictEqual(other, only))
    const found = isClear ? only : owner === undefined ? new AmbiguousMask(place) : read(known[owner])
    if (found instanceof SettingsError) throw found
    return found
  })
}

/** The result, or why a mask is not clear. */
function attempt(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (error instanceof UnknownMask || error instanceof AmbiguousMask) return error
    throw error
  }
}

/**
 * For each item that was sent, by its place, the place of the record that it was: unchanged ones first, then those of a
 * name that no other has, then those that stand where they stood. No two of them were the same.
 */
function ownersOf(sent: readonly unknown[], known: readonly unknown[], secret: boolean): ReadonlyMap<number, number> {
  const shown = known.map(one => maskValue(one, secret))
  const owners = new Map<number, number>()
  const taken = new Set<number>()
  const own = (index: number, place: number): void => {
    if (owners.has(index) || taken.has(place)) return
    owners.set(index, place)
    taken.add(place)
  }
  /** Those that are alike, if there are as many of them before and after. */
  const pair = (isAlike: (one: unknown) => boolean, most: number): void => {
    const indices = [...sent.keys()].filter(index => !owners.has(index) && isAlike(sent[index]))
    const places = [...shown.keys()].filter(place => !taken.has(place) && isAlike(shown[place]))
    if (indices.length !== places.length || places.length > most) return
    for (const [at, place] of places.entries()) own(indices[at] ?? place, place)
  }
  // Where some were added or taken out, a place says nothing.
  const inPlace = sent.length === known.length ? [...sent.entries()] : []
  for (const [index, one] of inPlace) if (isDeepStrictEqual(shown[index], one)) own(index, index)
  for (const one of shown) pair(other => isDeepStrictEqual(other, one), Number.POSITIVE_INFINITY)
  for (const label of known.map(labelOf)) if (label !== undefined) pair(other => labelOf(other) === label, 1)
  for (const [index] of inPlace) own(index, index)
  return owners
}

/** What tells one record of a list from the others. */
const labelOf = (record: unknown): unknown =>
  isTable(record) ? (record.name ?? record.label ?? record.provider) : undefined
