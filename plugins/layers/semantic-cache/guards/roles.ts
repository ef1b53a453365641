import type { Token } from '../tokens.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import { nameOf } from '../words/names.ts'
import { compares } from './direction.ts'
import type { Guard } from './guard.ts'
import { words } from './guard.ts'

/** Who does it to whom: two things exchanged in one sentence, the passive beside the active, `do I` beside `do you`. */
export const roles: Guard = (a, b) => {
  if (exchanged(a, b) || passive(a, b) || passive(b, a)) return 'order'
  return speakers(a, b) || owners(a, b) ? 'person' : undefined
}

const EVEN = new Set('and or versus vs & with between'.split(' '))

/** One sentence but for two of its words, which stand in each other's place. */
function exchanged(a: readonly Token[], b: readonly Token[]): boolean {
  if (a.length !== b.length || (compares(a) && compares(b))) return false
  const moved: number[] = []
  for (const [i, one] of a.entries()) if (one.stem !== b[i]?.stem) moved.push(i)
  const [first, second, ...more] = moved
  if (first === undefined || second === undefined || more.length > 0) return false
  if (a[first]?.stem !== b[second]?.stem || a[second]?.stem !== b[first]?.stem) return false
  const between = a.slice(first + 1, second).map(({ text }) => text)
  return between.length > 0 && !between.every(word => EVEN.has(word)) && [first, second].every(i => isThing(a[i]))
}

const isThing = (one: Token | undefined): boolean =>
  one !== undefined && (one.kind !== 'word' || !FUNCTION_WORDS.has(one.text))

const BE = new Set('is are was were be been being am get got gets getting'.split(' '))

/** `was A bought by B` beside `did A buy B`: the same order of words, the other way round. */
function passive(a: readonly Token[], b: readonly Token[]): boolean {
  const by = a.findIndex(({ text }, i) => text === 'by' && i > 1)
  const verb = a[by - 1]
  if (by === -1 || !verb || !isThing(verb) || !a.slice(0, by - 1).some(({ text }) => BE.has(text))) return false
  const at = b.findIndex(({ stem }) => stem === verb.stem)
  if (at === -1 || b[at + 1]?.text === 'by' || b.some(({ text }) => text === 'by')) return false
  const patient = new Set(
    a
      .slice(0, by - 1)
      .filter(isThing)
      .map(({ stem }) => stem),
  )
  const agent = new Set(
    a
      .slice(by + 1)
      .filter(isThing)
      .map(({ stem }) => stem),
  )
  const [before, after] = [b.slice(0, at), b.slice(at + 1)]
  return before.some(({ stem }) => patient.has(stem)) && after.some(({ stem }) => agent.has(stem))
}

const AUXILIARY = new Set('did are am was were have had is'.split(' '))
const SPEAKER: Readonly<Record<string, string>> = {
  i: 'i',
  me: 'i',
  myself: 'i',
  you: 'you',
  u: 'you',
  yourself: 'you',
}
const speaker = (word: string | undefined): string | undefined =>
  word !== undefined && Object.hasOwn(SPEAKER, word) ? SPEAKER[word] : undefined

/** `did I` is not `did you`, and `do you love me` not `do I love you`; but `how do you` may mean anybody. */
function speakers(a: readonly Token[], b: readonly Token[]): boolean {
  const [left, right] = [words(a), words(b)]
  const [mine, theirs] = [subject(left), subject(right)]
  if (mine !== undefined && theirs !== undefined && mine !== theirs) return true
  const [x, y] = [persons(left), persons(right)]
  return x.length > 1 && y.length > 1 && x[0] !== y[0] && x[0] === y[1] && x[1] === y[0]
}

const subject = (text: readonly string[]): string | undefined =>
  text.flatMap((word, i) => (AUXILIARY.has(word) ? [speaker(text[i + 1])] : [])).find(one => one !== undefined)

const PLEA =
  /^(?:(?:can|could|will|would) (?:you|u) (?:(?:tell|help|show|give|explain|let|recommend|send|provide) (?:to )?(?:me|us) )?|(?:i|we) (?:want|need|would like) you to )/
const persons = (text: readonly string[]): string[] =>
  text
    .join(' ')
    .replace(PLEA, '')
    .split(' ')
    .flatMap(word => speaker(word) ?? [])
    .filter((one, i, all) => one !== all[i - 1])

const SOMEBODY = new Set(
  'someone somebody anyone anybody people person child kid partner customer user client patient tenant employee guest'.split(
    ' ',
  ),
)

/** `my phone` is not `my wife's phone`. */
function owners(a: readonly Token[], b: readonly Token[]): boolean {
  const [left, right] = [ownersOf(a), ownersOf(b)]
  return left.size !== right.size || [...left].some(one => !right.has(one))
}

const ownersOf = (tokens: readonly Token[]): Set<string> =>
  new Set(
    tokens.flatMap(({ kind, text, stem }, i) => {
      if (kind !== 'word' || tokens[i + 1]?.text !== "'s") return []
      return SOMEBODY.has(text) || nameOf(text)?.family === 'organ_or_kin' ? [stem] : []
    }),
  )
