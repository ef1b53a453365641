import { type Facts, fact } from '../facts.ts'
import { ENGLISH } from '../function-words.ts'
import type { Token } from '../token.ts'
import { wordSet } from '../word-set.ts'

/** The cause stands before these, and the effect behind them. A participle before `by` has them the other way round. */
const CAUSING = wordSet(
  'cause causes caused make makes made trigger triggers triggered affect affects affected ' +
    'influence influences influenced reason reasons',
)
/** The effect stands before these. */
const CAUSED = wordSet('because due owing')
/** The word behind tells which comes first: `leads to`, `results in`, `a result of`. */
const BY_NEXT = new Map(
  ['lead leads led', 'result results resulted', 'effect effects', 'consequence consequences'].flatMap(row =>
    row.split(' ').map(word => [word, row.split(' ')[0] ?? ''] as const),
  ),
)
const FORWARD = new Set(['lead to', 'result in', 'effect on'])
const BACKWARD = new Set(['result from', 'result of', 'effect of', 'consequence of'])
const PARTICIPLE = wordSet('caused made triggered affected influenced')
const PASSIVE = wordSet('is are am was were be been being get gets got')

/** Stems of what is named on both sides of a causal word, within its sentence. */
interface Claim {
  readonly cause: ReadonlySet<string>
  readonly effect: ReadonlySet<string>
}

/** `is my back pain the reason I sleep badly`, `is sleeping badly the reason for my back pain`. */
export const agreeOnCauses = (a: Facts, b: Facts): boolean => !isTurned(a, b) && !isTurned(b, a)

const isTurned = (a: Facts, b: Facts): boolean =>
  claims(a).some(here => {
    const there = claims(b)
    return there.some(one => crosses(here, one)) && there.every(one => straight(here, one) === 0 || crosses(here, one))
  })

/** More of what is the cause here is the effect there, and the other way round, than stays what it is. */
function crosses(here: Claim, there: Claim): boolean {
  const [forth, back] = [shared(here.cause, there.effect), shared(here.effect, there.cause)]
  return forth > 0 && back > 0 && forth + back > straight(here, there)
}

const straight = (here: Claim, there: Claim): number =>
  shared(here.cause, there.cause) + shared(here.effect, there.effect)

function shared(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let count = 0
  for (const one of some) if (others.has(one)) count++
  return count
}

const claims = fact(({ said }): readonly Claim[] =>
  said.flatMap((_, i) => {
    const way = wayOf(said, i)
    if (way === undefined) return []
    const before = stems(said.slice(sentenceStart(said, i), i))
    const behind = stems(said.slice(i + 1, sentenceEnd(said, i)))
    if (before.size === 0 || behind.size === 0) return []
    return [way === 'forward' ? { cause: before, effect: behind } : { cause: behind, effect: before }]
  }),
)

function wayOf(said: readonly Token[], i: number): 'forward' | 'backward' | undefined {
  const { kind, text } = said[i] ?? {}
  if (kind !== 'word' || text === undefined) return undefined
  const [next, second] = [said[i + 1]?.text ?? '', said[i + 2]?.text ?? '']
  if (CAUSED.has(text)) return 'backward'
  if (PARTICIPLE.has(text)) {
    // `caused by`, `caused mainly by`.
    if (next === 'by' || second === 'by') return 'backward'
    if ([said[i - 1], said[i - 2]].some(one => PASSIVE.has(one?.text ?? ''))) return undefined
  }
  // `stress is why I smoke`; behind a pause it asks.
  if (text === 'why') return said[i]?.gap === ' ' ? 'forward' : undefined
  // `late, reason: snow`.
  if (CAUSING.has(text)) return said[i + 1]?.gap.includes(':') ? 'backward' : 'forward'
  const pair = `${BY_NEXT.get(text)} ${next}`
  return FORWARD.has(pair) ? 'forward' : BACKWARD.has(pair) ? 'backward' : undefined
}

const endsSentence = (one: Token | undefined): boolean => /[.?!;\n]/.test(one?.gap ?? '')

/** Index of the first token of the sentence that `i` stands in. */
function sentenceStart(said: readonly Token[], i: number): number {
  let start = i
  while (start > 0 && !endsSentence(said[start])) start--
  return start
}

function sentenceEnd(said: readonly Token[], i: number): number {
  let end = i + 1
  while (end < said.length && !endsSentence(said[end])) end++
  return end
}

const stems = (tokens: readonly Token[]): ReadonlySet<string> =>
  new Set(
    tokens.flatMap(({ kind, text }) =>
      (kind === 'word' && ENGLISH.has(text)) || CAUSING.has(text) || BY_NEXT.has(text) ? [] : [stem(text)],
    ),
  )

/** One form of `sleep` and `sleeping`, of `query` and `queries`, of `stop` and `stopped`, of `lonely` and `loneliness`. */
const stem = (word: string): string =>
  word
    .replace(/(?<=...)ness$/, '')
    .replace(/(?<=...)(?:ing|ed|es|e|(?<![su])s)$/, '')
    .replace(/y$/, 'i')
    .replace(/(?<=...)li$/, '')
    .replace(/(\p{L})\1$/u, '$1')
