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

/**
 * A value as an operator sends it back, with each masked secret replaced by the one that is set. Records of a list are
 * found by what else they say, then by their name, then by their place. `at` is the
 * name of the whole. Throws a `SettingsError` where a masked secret stands for none.
 */
export function unmask(sent: unknown, set: unknown, secret: boolean, at = ''): unknown {
  if (typeof sent === 'string') return unmaskText(sent, set, secret, at)
  if (Array.isArray(sent)) {
    const known: readonly unknown[] = Array.isArray(set) ? set : []
    return sent.map((one, index) => unmaskItem(one, index, known, secret, fieldPath([index], at)))
  }
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

function unmaskItem(sent: unknown, index: number, known: readonly unknown[], secret: boolean, at: string): unknown {
  const rank = (one: unknown, place: number): number => {
    const elsewhere = place === index ? 0 : 1
    if (isDeepStrictEqual(maskValue(one, secret), sent)) return elsewhere
    return (labelOf(one) !== undefined && labelOf(one) === labelOf(sent) ? 2 : 4) + elsewhere
  }
  const candidates = known.map((one, place) => ({ one, rank: rank(one, place) })).sort((a, b) => a.rank - b.rank)
  for (const { one } of candidates) {
    try {
      return unmask(sent, one, secret, at)
    } catch (error) {
      if (!(error instanceof UnknownMask)) throw error
    }
  }
  return unmask(sent, undefined, secret, at)
}

/** What tells one record of a list from the others. */
const labelOf = (record: unknown): unknown =>
  isTable(record) ? (record.name ?? record.label ?? record.provider) : undefined
