import type { Token } from '../tokens.ts'
import type { Guard } from './guard.ts'
import { words } from './guard.ts'

/** Words that widen or narrow what is asked; words of a row mean the same. */
const ROWS = [
  'only solely exclusively just',
  'first earliest',
  'last latest recent',
  'next',
  'second-ordinal',
  ...'third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth twentieth'.split(' '),
  'all every each entire whole',
  'any',
  'both',
  'none',
  'most',
  'least',
  'average mean',
  'median',
  'total sum overall',
  'max maximum highest largest biggest greatest longest',
  'min minimum lowest smallest shortest',
  'unique distinct',
  'random randomly',
  'always',
  'never',
  'sometimes often usually',
  'recursively recursive subdirectories subfolders',
  'single',
  'multiple several',
  'exactly',
  'approximately roughly',
  'upper uppercase',
  'lower lowercase',
  'monthly',
  'weekly',
  'daily',
  'yearly annual annually',
  'hourly',
  'per',
]
/** On one side only these still change little: `list files` is `list all files`. */
const SOFT = new Set([
  'all every each entire whole',
  'any',
  'multiple several',
  'most',
  'single',
  'sometimes often usually',
  'total sum overall',
  'only solely exclusively just',
  'always',
  'per',
])
const ROW_OF = new Map(ROWS.flatMap(row => row.split(' ').map(word => [word, row] as const)))

/** Quantifiers and limits: first or last, only, at least, every. */
export const quantifiers: Guard = (a, b) => {
  const left = scope(a)
  const right = scope(b)
  for (const one of left) if (!right.has(one) && (!SOFT.has(one) || hasRival(one, right, left))) return 'quantifier'
  for (const one of right) if (!left.has(one) && (!SOFT.has(one) || hasRival(one, left, right))) return 'quantifier'
  if (partly(a, left, right) || partly(b, right, left)) return 'quantifier'
  return limits(a) === limits(b) ? undefined : 'quantifier'
}

const ALL = 'all every each entire whole'
/** `some of them`, where the other side says all. */
const partly = (tokens: readonly Token[], mine: ReadonlySet<string>, theirs: ReadonlySet<string>): boolean =>
  theirs.has(ALL) && !mine.has(ALL) && words(tokens).includes('some')

const hasRival = (one: string, there: ReadonlySet<string>, here: ReadonlySet<string>): boolean =>
  [...there].some(other => other !== one && !here.has(other))

const scope = (tokens: readonly Token[]): Set<string> =>
  new Set(
    words(tokens).flatMap((word, i, all) => {
      if (word === 'just' && i > 0 && all[i - 1] === 'have') return []
      if (word === 'second') return isOrdinal(tokens, all[i - 1], all[i + 1]) ? ['second-ordinal'] : []
      const row = ROW_OF.get(word)
      return row === undefined ? [] : [row]
    }),
  )

/** `the second try`, and neither `10 seconds` nor `twice per second`. */
const isOrdinal = (tokens: readonly Token[], before: string | undefined, after: string | undefined): boolean =>
  after !== undefined &&
  !/^(?:per|each|every|one|half|split)$/.test(before ?? '') &&
  !tokens.some(({ text }, i) => text === 'second' && tokens[i - 1]?.kind === 'number')

/** `at least`, `at most`, `more than`, `less than`, `up to`, `older than`. */
function limits(tokens: readonly Token[]): string {
  const text = words(tokens).join(' ')
  const found =
    text.match(
      /\bat (?:least|most)\b|\b(?:more|less|fewer|greater|larger|bigger|smaller|older|newer|higher|lower|longer|shorter|fewer) than\b|\bup to\b|\bno (?:more|less) than\b/g,
    ) ?? []
  return found
    .map(limit => LIMIT[limit] ?? limit)
    .sort()
    .join()
}
const MORE = 'more than'
const LESS = 'less than'
const LIMIT: Readonly<Record<string, string>> = {
  'greater than': MORE,
  'larger than': MORE,
  'bigger than': MORE,
  'older than': MORE,
  'higher than': MORE,
  'longer than': MORE,
  'fewer than': LESS,
  'smaller than': LESS,
  'newer than': LESS,
  'lower than': LESS,
  'shorter than': LESS,
  'at most': 'up to',
  'no more than': 'up to',
  'no less than': 'at least',
}

/** `my name` is not `your name`; `my password` is `the password`. */
export const persons: Guard = (a, b) => {
  const left = owners(a)
  const right = owners(b)
  if (left.size === 0 || right.size === 0) return undefined
  return [...left].some(one => right.has(one)) ? undefined : 'person'
}

const OWNERS: Readonly<Record<string, string>> = {
  my: 'i',
  mine: 'i',
  our: 'i',
  ours: 'i',
  your: 'you',
  yours: 'you',
  his: 'he',
  her: 'she',
  hers: 'she',
  their: 'they',
  theirs: 'they',
}
const owners = (tokens: readonly Token[]): Set<string> =>
  new Set(words(tokens).flatMap(word => (Object.hasOwn(OWNERS, word) ? [OWNERS[word] ?? ''] : [])))
