import { type Analysis, fact, words } from '../analysis.ts'
import type { Token } from '../token.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import type { Guard } from './guard.ts'

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
  if (ofOne(b, ofAll(a)) || ofOne(a, ofAll(b))) return 'quantifier'
  return limits(a) === limits(b) ? undefined : 'quantifier'
}

const ALL = 'all every each entire whole'
/** `some of them`, where the other side says all. */
const partly = (analysis: Analysis, mine: ReadonlySet<string>, theirs: ReadonlySet<string>): boolean =>
  theirs.has(ALL) && !mine.has(ALL) && words(analysis).includes('some')

const EVERY = new Set(['all', 'every', 'each'])

/** What there is all of: `files` in `delete all my old files`. */
const ofAll = fact(({ tokens }) => {
  const found: Token[] = []
  for (const [i, { kind, text }] of tokens.entries()) {
    if (kind !== 'word' || !EVERY.has(text)) continue
    let thing: Token | undefined
    for (const one of tokens.slice(i + 1, i + 6)) {
      if (one.kind === 'word' && !FUNCTION_WORDS.has(one.text)) thing = one
      else if (thing) break
    }
    if (thing && (text !== 'all' || thing.text.endsWith('s'))) found.push(thing)
  }
  return found
})

/** One of them: `delete a file`. Several are often all of them: `list files`. */
const ofOne = ({ tokens }: Analysis, all: readonly Token[]): boolean =>
  all.length > 0 &&
  !tokens.some(({ text }) => EVERY.has(text)) &&
  all.some(({ text, stem }) => {
    const there = tokens.filter(one => one.kind === 'word' && one.stem === stem)
    return there.length > 0 && there.every(one => (one.text === text) !== text.endsWith('s'))
  })

const hasRival = (one: string, there: ReadonlySet<string>, here: ReadonlySet<string>): boolean =>
  [...there].some(other => other !== one && !here.has(other))

const scope = fact(analysis => {
  const found = new Set<string>()
  const all = words(analysis)
  for (const [i, word] of all.entries()) {
    if (word === 'just' && all[i - 1] === 'have') continue
    // `what does it mean`: no average.
    if (word === 'mean' && all.slice(0, i).some(one => one === 'does' || one === 'do' || one === 'did')) continue
    const row = word === 'second' ? ordinal(analysis.tokens, all[i - 1], all[i + 1]) : ROW_OF.get(word)
    if (row !== undefined) found.add(row)
  }
  return found
})

/** `the second try`, and neither `10 seconds` nor `twice per second`. */
const ordinal = (
  tokens: readonly Token[],
  before: string | undefined,
  after: string | undefined,
): string | undefined =>
  after !== undefined &&
  !/^(?:per|each|every|one|half|split)$/.test(before ?? '') &&
  !tokens.some(({ text }, i) => text === 'second' && tokens[i - 1]?.kind === 'number')
    ? 'second-ordinal'
    : undefined

/** `at least`, `at most`, `more than`, `less than`, `up to`, `older than`. */
const limits = fact(analysis => {
  const all = words(analysis)
  if (!all.some(word => LIMITED.has(word))) return ''
  const found =
    all
      .join(' ')
      .match(
        /\bat (?:least|most)\b|\b(?:more|less|fewer|greater|larger|bigger|smaller|older|newer|higher|lower|longer|shorter|fewer) than\b|\bup to\b|\bno (?:more|less) than\b/g,
      ) ?? []
  return found
    .map(limit => LIMIT[limit] ?? limit)
    .sort()
    .join()
})
/** No limit is without one of these. */
const LIMITED = new Set(['least', 'most', 'than', 'up'])
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
  if (isAnybody(a, left) && isAnybody(b, right)) return undefined
  return [...left].some(one => right.has(one)) ? undefined : 'person'
}

/** `how do I control my anger`, `how does one control his anger`: whoever does it, the things are his own. */
const isAnybody = (analysis: Analysis, owners: ReadonlySet<string>): boolean => {
  const text = words(analysis)
  const doer = text[0] === 'how' ? DOERS.get(text[2] ?? '') : undefined
  return doer !== undefined && [...owners].every(one => doer.has(one))
}
const DOERS = new Map<string, ReadonlySet<string>>([
  ['i', new Set(['i'])],
  ['we', new Set(['i'])],
  ['you', new Set(['you'])],
  ['one', new Set(['he', 'she', 'they'])],
  ['someone', new Set(['he', 'she', 'they'])],
])

const OWNERS = new Map([
  ['my', 'i'],
  ['mine', 'i'],
  ['our', 'i'],
  ['ours', 'i'],
  ['your', 'you'],
  ['yours', 'you'],
  ['his', 'he'],
  ['her', 'she'],
  ['hers', 'she'],
  ['their', 'they'],
  ['theirs', 'they'],
])
const owners = fact(analysis => {
  const found = new Set<string>()
  for (const word of words(analysis)) {
    const owner = OWNERS.get(word)
    if (owner !== undefined) found.add(owner)
  }
  return found
})
