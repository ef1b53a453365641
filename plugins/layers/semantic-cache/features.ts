import { contentOf } from './canonical.ts'
import { questionKind } from './guards/question.ts'
import type { Token } from './tokens.ts'
import { FUNCTION_WORDS } from './words/function-words.ts'
import { idfOfStem, UNKNOWN } from './words/idf.ts'
import { nameOf } from './words/names.ts'
import { spellingOf } from './words/spellings.ts'
import { stem } from './words/stem.ts'
import { areSynonyms } from './words/synonyms.ts'

/** What the verifier looks at, in the order of its weights. */
export const FEATURES = [
  'cosine',
  'overlap',
  'covered_least',
  'covered_most',
  'rarest_left_out_most',
  'rarest_left_out_least',
  'left_out_most',
  'left_out_least',
  'words_left_out_most',
  'words_left_out_least',
  'shared_idf',
  'longest_common',
  'length_ratio',
  'trigrams',
  'bigrams',
  'grammar',
  'same_opening',
  'synonyms',
  'shortest',
  'stands_alone',
  'verb_kept',
  'near_words',
  'same_question',
  'same_modals',
  'left_out_both',
] as const

/** A candidate pair as numbers, each about 0 to 1. Symmetric: which prompt came first says nothing. */
export function features(a: readonly Token[], b: readonly Token[], cosine: number): Float64Array {
  const left = contentOf(a)
  const right = contentOf(b)
  const pair = align(left, right)
  const common = longestCommon(a, b)
  const most = (x: number, y: number): number => Math.max(x, y)
  const least = (x: number, y: number): number => Math.min(x, y)
  const { l, r } = pair
  const total = pair.shared + l.idf + r.idf
  return Float64Array.of(
    cosine,
    total === 0 ? 1 : pair.shared / total,
    least(l.covered, r.covered),
    most(l.covered, r.covered),
    most(l.rarest, r.rarest) / UNKNOWN,
    least(l.rarest, r.rarest) / UNKNOWN,
    squash(most(l.idf, r.idf), 20),
    squash(least(l.idf, r.idf), 20),
    squash(most(l.count, r.count), 4),
    squash(least(l.count, r.count), 4),
    squash(pair.shared, 25),
    (2 * common) / Math.max(1, a.length + b.length),
    least(a.length, b.length) / Math.max(1, most(a.length, b.length)),
    dice(trigrams(a), trigrams(b)),
    dice(bigrams(left), bigrams(right)),
    dice(grammar(a), grammar(b)),
    opening(a) === opening(b) ? 1 : 0,
    squash(pair.soft, 3),
    squash(least(left.length, right.length), 6),
    least(l.count, r.count) === 0 ? 1 : 0,
    left[0]?.stem === right[0]?.stem ? 1 : 0,
    squash(pair.near, 3),
    questionKind(a) === questionKind(b) ? 1 : 0,
    modals(a) === modals(b) ? 1 : 0,
    l.count > 0 && r.count > 0 ? 1 : 0,
  )
}

const MODALS = new Set(
  'can could will would should must may might need do does did is are was were has have had'.split(' '),
)
const GROUPS: Readonly<Record<string, string>> = {
  could: 'can',
  may: 'can',
  would: 'will',
  might: 'can',
  does: 'do',
  are: 'is',
  has: 'have',
  were: 'was',
  had: 'have',
  must: 'should',
  need: 'should',
}
/** `should I`, `can I`, `do I`, `did I`: what is asked about the same doing. */
const modals = (tokens: readonly Token[]): string => {
  const first = tokens.find(({ kind, text }) => kind === 'word' && MODALS.has(text))?.text ?? ''
  return GROUPS[first] ?? first
}

const squash = (value: number, scale: number): number => value / (value + scale)

/** The idf of the rarest word that each side has alone: no equal, no synonym and no relative on the other. */
export function rarestLeftOut(a: readonly Token[], b: readonly Token[]): readonly [number, number] {
  const { l, r } = align(contentOf(a), contentOf(b))
  return [l.rarest, r.rarest]
}

interface Rest {
  readonly idf: number
  readonly rarest: number
  readonly count: number
  readonly covered: number
}

interface Alignment {
  /** Summed idf of what both have, synonyms counted less. */
  readonly shared: number
  /** How many synonyms, and how many of one family of words (`cancel`, `cancellation`), are among it. */
  readonly soft: number
  readonly near: number
  readonly l: Rest
  readonly r: Rest
}

const weight = (one: Token): number => (one.kind === 'word' ? idfOfStem(one.stem) : UNKNOWN)

/** `js` is `javascript`, `repos` a `repository`. */
function keyOf({ kind, text, stem: own }: Token): string {
  if (kind !== 'word') return own
  const other = nameOf(text)?.name ?? spellingOf(text)
  return other === undefined ? own : stem(other)
}

/** With more words than this left over on both sides, near ones among them save nothing: the prompts are two. */
const MANY = 12

/** Pairs equal words, then near ones; the rest is what each side has alone. */
function align(left: readonly Token[], right: readonly Token[]): Alignment {
  const open = new Map(right.map(one => [keyOf(one), one]))
  const mine = new Map(left.map(one => [keyOf(one), one]))
  let shared = 0
  let soft = 0
  let near = 0
  let all = 0
  for (const one of mine.values()) all += weight(one)
  let theirs = 0
  for (const one of open.values()) theirs += weight(one)
  for (const [key, one] of mine)
    if (open.delete(key)) {
      shared += weight(one)
      mine.delete(key)
    }
  const apart = mine.size > MANY && open.size > MANY
  for (const [key, one] of apart ? [] : mine) {
    for (const [other, two] of open) {
      const family = isFamily(key, other)
      if (!family && !areSynonyms(key, other)) continue
      shared += (family ? 0.9 : 0.7) * Math.min(weight(one), weight(two))
      if (family) near++
      else soft++
      mine.delete(key)
      open.delete(other)
      break
    }
  }
  return { shared, soft, near, l: rest(mine, all), r: rest(open, theirs) }
}

function rest(alone: ReadonlyMap<string, Token>, total: number): Rest {
  const idfs = [...alone.values()].map(weight)
  const idf = idfs.reduce((sum, one) => sum + one, 0)
  return { idf, rarest: Math.max(0, ...idfs), count: idfs.length, covered: total === 0 ? 1 : 1 - idf / total }
}

/** One word within the other, or a long common beginning: `cancel`, `cancellation`. */
function isFamily(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  if (short.length < 4) return false
  let same = 0
  while (same < short.length && short[same] === long[same]) same++
  return same >= 5 ? same >= short.length - 1 : same === 4 && short.length === 4 && long.length <= 7
}

function longestCommon(a: readonly Token[], b: readonly Token[]): number {
  const [x, y] = [a.slice(0, 64), b.slice(0, 64)]
  let row = new Uint8Array(y.length + 1)
  for (const one of x) {
    const next = new Uint8Array(y.length + 1)
    for (let j = 1; j <= y.length; j++)
      next[j] = one.stem === y[j - 1]?.stem ? (row[j - 1] ?? 0) + 1 : Math.max(row[j] ?? 0, next[j - 1] ?? 0)
    row = next
  }
  return row[y.length] ?? 0
}

function dice(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 1
  let shared = 0
  for (const one of a) if (b.has(one)) shared++
  return (2 * shared) / (a.size + b.size)
}

function trigrams(tokens: readonly Token[]): Set<string> {
  const text = ` ${tokens.map(one => one.text).join(' ')} `
  const found = new Set<string>()
  for (let i = 0; i + 3 <= text.length && i < 400; i++) found.add(text.slice(i, i + 3))
  return found
}

const bigrams = (tokens: readonly Token[]): Set<string> =>
  new Set(tokens.slice(1).map((one, i) => `${tokens[i]?.stem ?? ''} ${one.stem}`))

const grammar = (tokens: readonly Token[]): Set<string> =>
  new Set(tokens.flatMap(({ kind, text, stem }) => (kind === 'word' && FUNCTION_WORDS.has(text) ? [stem] : [])))

const opening = (tokens: readonly Token[]): string => `${tokens[0]?.stem ?? ''} ${tokens[1]?.stem ?? ''}`
