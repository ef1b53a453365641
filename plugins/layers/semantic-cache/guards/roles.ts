import { type Analysis, fact, words } from '../analysis.ts'
import type { Token } from '../token.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import { nameOf } from '../words/names.ts'
import { compares } from './direction.ts'
import { type Guard, sameSet } from './guard.ts'

/** Who does it to whom: two things exchanged in one sentence, the passive beside the active, `do I` beside `do you`. */
export const roles: Guard = (a, b) => {
  if (exchanged(a, b) || passive(a, b) || passive(b, a)) return 'order'
  return speakers(a, b) || !sameSet(owners(a), owners(b)) ? 'person' : undefined
}

const EVEN = new Set('and or versus vs & with between'.split(' '))

/** One sentence but for two of its words, which stand in each other's place. */
function exchanged(one: Analysis, other: Analysis): boolean {
  const [a, b] = [one.tokens, other.tokens]
  if (a.length !== b.length || (compares(one) && compares(other))) return false
  const moved: number[] = []
  for (let i = 0; i < a.length && moved.length < 3; i++) if (a[i]?.stem !== b[i]?.stem) moved.push(i)
  const [first, second, third] = moved
  if (first === undefined || second === undefined || third !== undefined) return false
  if (a[first]?.stem !== b[second]?.stem || a[second]?.stem !== b[first]?.stem) return false
  const between = a.slice(first + 1, second).map(({ text }) => text)
  return between.length > 0 && !between.every(word => EVEN.has(word)) && [first, second].every(i => isThing(a[i]))
}

const isThing = (one: Token | undefined): boolean =>
  one !== undefined && (one.kind !== 'word' || !FUNCTION_WORDS.has(one.text))

const BE = new Set('is are was were be been being am get got gets getting'.split(' '))

/** `was A bought by B` beside `did A buy B`: the same order of words, the other way round. */
function passive({ tokens: a }: Analysis, { tokens: b }: Analysis): boolean {
  const by = a.findIndex(({ text }, i) => text === 'by' && i > 1)
  if (by === -1) return false
  const verb = a[by - 1]
  if (!verb || !isThing(verb) || !a.slice(0, by - 1).some(({ text }) => BE.has(text))) return false
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
const SPEAKERS = new Map([
  ['i', 'i'],
  ['me', 'i'],
  ['myself', 'i'],
  ['you', 'you'],
  ['u', 'you'],
  ['yourself', 'you'],
])

/** `did I` is not `did you`, and `do you love me` not `do I love you`; but `how do you` may mean anybody. */
function speakers(a: Analysis, b: Analysis): boolean {
  const [mine, theirs] = [subject(a), subject(b)]
  if (mine !== undefined && theirs !== undefined && mine !== theirs) return true
  const [x, y] = [persons(a), persons(b)]
  return x.length > 1 && y.length > 1 && x[0] !== y[0] && x[0] === y[1] && x[1] === y[0]
}

const subject = fact(analysis => {
  const text = words(analysis)
  for (const [i, word] of text.entries()) {
    const found = AUXILIARY.has(word) ? SPEAKERS.get(text[i + 1] ?? '') : undefined
    if (found !== undefined) return found
  }
  return undefined
})

const PLEA =
  /^(?:(?:can|could|will|would) (?:you|u) (?:(?:tell|help|show|give|explain|let|recommend|send|provide) (?:to )?(?:me|us) )?|(?:i|we) (?:want|need|would like) you to )/
/** Who is spoken of, turn by turn. */
const persons = fact(analysis => {
  const found: string[] = []
  const text = words(analysis)
  const begged = PLEA.exec(text.slice(0, PLEA_WORDS).join(' '))?.[0].split(' ').length ?? 1
  for (let i = begged - 1; i < text.length; i++) {
    const one = SPEAKERS.get(text[i] ?? '')
    if (one !== undefined && one !== found.at(-1)) found.push(one)
  }
  return found
})
/** No plea is longer. */
const PLEA_WORDS = 6

const SOMEBODY = new Set(
  'someone somebody anyone anybody people person child kid partner customer user client patient tenant employee guest'.split(
    ' ',
  ),
)

/** `my phone` is not `my wife's phone`. */
const owners = fact(({ tokens }) => {
  const found = new Set<string>()
  for (const [i, { kind, text, stem }] of tokens.entries()) {
    if (kind !== 'word' || tokens[i + 1]?.text !== "'s") continue
    if (SOMEBODY.has(text) || nameOf(text)?.family === 'organ_or_kin') found.add(stem)
  }
  return found
})
