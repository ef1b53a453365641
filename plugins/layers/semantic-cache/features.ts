import { type Analysis, content, fact, pairFact, words } from './analysis.ts'
import { questionKind } from './guards/question.ts'
import type { Token } from './token.ts'
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
export function features(a: Analysis, b: Analysis, cosine: number): readonly number[] {
  const [left, right] = [content(a), content(b)]
  const pair = align(a, b)
  const common = longestCommon(a.tokens, b.tokens)
  const [mine, theirs] = [a.tokens.length, b.tokens.length]
  const most = (x: number, y: number): number => Math.max(x, y)
  const least = (x: number, y: number): number => Math.min(x, y)
  const { l, r } = pair
  const total = pair.shared + l.idf + r.idf
  return [
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
    (2 * common) / Math.max(1, mine + theirs),
    least(mine, theirs) / Math.max(1, most(mine, theirs)),
    dice(trigrams(a), trigrams(b)),
    dice(bigrams(a), bigrams(b)),
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
  ]
}

const MODALS = new Set(
  'can could will would should must may might need do does did is are was were has have had'.split(' '),
)
const GROUPS = new Map([
  ['could', 'can'],
  ['may', 'can'],
  ['would', 'will'],
  ['might', 'can'],
  ['does', 'do'],
  ['are', 'is'],
  ['has', 'have'],
  ['were', 'was'],
  ['had', 'have'],
  ['must', 'should'],
  ['need', 'should'],
])
/** `should I`, `can I`, `do I`, `did I`: what is asked about the same doing. */
const modals = fact(analysis => {
  const first = words(analysis).find(word => MODALS.has(word)) ?? ''
  return GROUPS.get(first) ?? first
})

const squash = (value: number, scale: number): number => value / (value + scale)

/** The idf of the rarest word that each side has alone: no equal, no synonym and no relative on the other. */
export function rarestLeftOut(a: Analysis, b: Analysis): readonly [number, number] {
  const { l, r } = align(a, b)
  return [l.rarest, r.rarest]
}

/** The stems of the words that each side has alone. */
export function leftOut(a: Analysis, b: Analysis): readonly [ReadonlySet<string>, ReadonlySet<string>] {
  const { l, r } = align(a, b)
  return [l.alone, r.alone]
}

interface Rest {
  readonly alone: ReadonlySet<string>
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

/** The idf of each word of content, by its key. */
const weights = fact(analysis => {
  const idfs = new Map<string, number>()
  for (const one of content(analysis)) idfs.set(keyOf(one), weight(one))
  let total = 0
  for (const idf of idfs.values()) total += idf
  return { idfs, total }
})

/** Pairs equal words, then near ones; the rest is what each side has alone. */
const align = pairFact((a, b): Alignment => {
  const [left, right] = [weights(a), weights(b)]
  let shared = 0
  let soft = 0
  let near = 0
  const [mine, theirs] = [new Map<string, number>(), new Map<string, number>()]
  for (const [key, idf] of left.idfs) {
    const their = right.idfs.get(key)
    if (their === undefined) mine.set(key, idf)
    else shared += Math.min(idf, their)
  }
  for (const [key, idf] of right.idfs) if (!left.idfs.has(key)) theirs.set(key, idf)
  const apart = mine.size > MANY && theirs.size > MANY
  for (const [key, idf] of apart ? [] : mine) {
    for (const [other, their] of theirs) {
      const family = isFamily(key, other)
      if (!family && !areSynonyms(key, other)) continue
      shared += (family ? 0.9 : 0.7) * Math.min(idf, their)
      if (family) near++
      else soft++
      mine.delete(key)
      theirs.delete(other)
      break
    }
  }
  return { shared, soft, near, l: rest(mine, left.total), r: rest(theirs, right.total) }
})

function rest(alone: ReadonlyMap<string, number>, total: number): Rest {
  let idf = 0
  let rarest = 0
  for (const one of alone.values()) {
    idf += one
    rarest = Math.max(rarest, one)
  }
  return { alone: new Set(alone.keys()), idf, rarest, count: alone.size, covered: total === 0 ? 1 : 1 - idf / total }
}

/** `ethane` and `ethanol`, `physics` and `physicist`: endings of medicines and of trades make another thing of it. */
const OTHER = /^(?:(?:ol)?on|ol|(?:in)?in|id|it|ist|tag)$/
/** What a word may lose before another ending: `verify`, `verification`. */
const LOST = new Set(['', 'y', 'e', 'i', 's', 't'])

/** One word within the other, or a long common beginning: `cancel`, `cancellation`. */
function isFamily(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (short.length < 4 || short.length === long.length) return false
  let same = 0
  while (same < short.length && short[same] === long[same]) same++
  if (same < 4 || (same === 4 && (short.length > 4 || long.length > 7))) return false
  return LOST.has(short.slice(same)) && !OTHER.test(long.slice(same))
}

/** The length of the longest common subsequence of stems, of up to `COMPARED` tokens. */
function longestCommon(a: readonly Token[], b: readonly Token[]): number {
  let [m, n] = [Math.min(COMPARED, a.length), Math.min(COMPARED, b.length)]
  let same = 0
  while (same < m && same < n && a[same]?.stem === b[same]?.stem) same++
  const from = same
  for (; m > from && n > from && a[m - 1]?.stem === b[n - 1]?.stem; m--, n--) same++
  const row = ROW.fill(0)
  for (let i = from; i < m; i++) {
    const stem = a[i]?.stem
    let diagonal = 0
    for (let j = from; j < n; j++) {
      const above = row[j + 1] ?? 0
      row[j + 1] = stem === b[j]?.stem ? diagonal + 1 : Math.max(above, row[j] ?? 0)
      diagonal = above
    }
  }
  return same + (row[n] ?? 0)
}
const COMPARED = 64
/** One row of the table of lengths. Column `from` stays 0. */
const ROW = new Uint8Array(COMPARED + 1)

function dice(a: ReadonlySet<unknown>, b: ReadonlySet<unknown>): number {
  if (a.size + b.size === 0) return 1
  let shared = 0
  for (const one of a) if (b.has(one)) shared++
  return (2 * shared) / (a.size + b.size)
}

const trigrams = fact(({ tokens }) => {
  let text = ' '
  for (const one of tokens) text += `${one.text} `
  const found = new Set<string>()
  for (let i = 0; i + 3 <= text.length && i < 400; i++) found.add(text.slice(i, i + 3))
  return found
})

const bigrams = fact(analysis => {
  const found = new Set<string>()
  let before: string | undefined
  for (const { stem } of content(analysis)) {
    if (before !== undefined) found.add(`${before} ${stem}`)
    before = stem
  }
  return found
})

const grammar = fact(({ tokens }) => {
  const found = new Set<string>()
  for (const { kind, text, stem } of tokens) if (kind === 'word' && FUNCTION_WORDS.has(text)) found.add(stem)
  return found
})

const opening = fact(({ tokens }) => `${tokens[0]?.stem ?? ''} ${tokens[1]?.stem ?? ''}`)
