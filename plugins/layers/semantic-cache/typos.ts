import type { Token } from './tokens.ts'
import { idfOf, UNKNOWN } from './words/idf.ts'

/**
 * A slip of the finger is no other word. Where a word of `a` that `b` lacks is one slip away from a word of `b` that `a`
 * lacks, it is read as that word. Only letters change places freely; a letter more, less or other counts only between a
 * common word and one that nobody knows, because two known words a letter apart are two words (`sorted`, `stored`).
 */
export function withoutTypos(a: readonly Token[], b: readonly Token[]): readonly Token[] {
  const mine = new Set(a.map(one => one.text))
  const theirs = new Set(b.map(one => one.text))
  const strange = a.filter(one => isPlain(one) && !theirs.has(one.text))
  if (strange.length === 0 || strange.length > 3) return a
  const targets = b.filter(one => isPlain(one) && !mine.has(one.text))
  if (targets.length === 0) return a
  let changed = false
  const read = a.map(one => {
    if (!strange.includes(one)) return one
    const meant = targets.find(target => isSlip(one.text, target.text))
    if (!meant) return one
    changed = true
    return { ...one, text: meant.text, stem: meant.stem, raw: meant.raw }
  })
  return changed ? read : a
}

const isPlain = ({ kind, text }: Token): boolean => kind === 'word' && text.length >= 4

function isSlip(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false
  if (isSwap(a, b)) return a.length >= 5 || isUnknown(a) !== isUnknown(b)
  return isUnknown(a) !== isUnknown(b) && a.length >= 5 && isOneEdit(a, b)
}

const isUnknown = (word: string): boolean => idfOf(word) >= UNKNOWN

function isSwap(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  let i = 0
  while (i < a.length && a[i] === b[i]) i++
  return i + 1 < a.length && a[i] === b[i + 1] && a[i + 1] === b[i] && a.slice(i + 2) === b.slice(i + 2)
}

function isOneEdit(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  let i = 0
  while (i < short.length && short[i] === long[i]) i++
  return short.length === long.length ? short.slice(i + 1) === long.slice(i + 1) : short.slice(i) === long.slice(i + 1)
}
