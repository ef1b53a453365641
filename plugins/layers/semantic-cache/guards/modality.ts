import { type Analysis, fact, words } from '../analysis.ts'
import type { Guard } from './guard.ts'

/** Whether something may be, should be, has to be or will be; and when it is spoken of. */
export const modality: Guard = (a, b) => {
  const [left, right] = [mood(a), mood(b)]
  if (left !== undefined && right !== undefined && left !== right) return 'modality'
  // What somebody needs is not where it is to be had.
  if ((left === 'must' && asksWhere(b)) || (right === 'must' && asksWhere(a))) return 'modality'
  const [mine, theirs] = [tense(a), tense(b)]
  if (mine !== undefined && theirs !== undefined && mine !== theirs) return 'tense'
  const [now, then] = [auxiliary(a), auxiliary(b)]
  return now !== undefined && then !== undefined && now !== then ? 'tense' : undefined
}

const MOODS: Readonly<Record<string, string>> = {
  can: 'may',
  could: 'may',
  may: 'may',
  might: 'may',
  should: 'should',
  shall: 'should',
  ought: 'should',
  must: 'must',
}

/** Of a question that begins with it: `can I`, `should I`. */
const mood = fact((analysis): string | undefined => {
  const [first = '', second = '', ...rest] = words(analysis)
  const mood = Object.hasOwn(MOODS, first) ? MOODS[first] : undefined
  // `can you tell me`, `could I please have`: a plea.
  if (mood !== undefined) return second === 'you' || second === 'u' ? undefined : mood
  if ((first === 'do' || first === 'does') && NEEDS.test(rest.join(' '))) return 'must'
  return first === 'is' || first === 'are' || first === 'am' ? isMood([second, ...rest].join(' ')) : undefined
})

const asksWhere = (analysis: Analysis): boolean => {
  const [first = ''] = words(analysis)
  return first === 'where' || first === 'how' || first === 'when'
}

const NEEDS = /^(?:[a-z]+ ){0,2}(?:need|have to|has to|must)\b/
const isMood = (text: string): string | undefined =>
  /\b(?:allowed|permitted|legal|possible|able)\b/.test(text)
    ? 'may'
    : /\b(?:necessary|required|obliged|mandatory|compulsory|obligatory)\b/.test(text)
      ? 'must'
      : undefined

const FUTURE = new Set(['will', 'shall'])
const BEFORE_PAST = new Set(['who', 'what', 'which', 'when', 'where', 'why', 'how'])
const PAST = new Set(
  'did was were won lost came went made got became took gave left died began built wrote said told found bought sold met'.split(
    ' ',
  ),
)

/** `who will win`, `who won`. Only where it is said beyond doubt. */
const tense = fact((analysis): string | undefined => {
  const text = words(analysis)
  // `it did not open`, `it won't open`: it does not open.
  if (text.includes('not')) return undefined
  const future = text.some((word, i) => FUTURE.has(word) || (word === 'going' && text[i + 1] === 'to'))
  const past = text.some(
    (word, i) =>
      PAST.has(word) && (word === 'did' || word === 'was' || word === 'were' || BEFORE_PAST.has(text[i - 1] ?? '')),
  )
  return future === past ? undefined : future ? 'future' : 'past'
})

const ASKING = new Set('who what which when where why how'.split(' '))
const AUXILIARY = new Map([
  ...['is', 'are', 'do', 'does'].map(word => [word, 'present'] as const),
  ...['was', 'were', 'did'].map(word => [word, 'past'] as const),
])
const OWN = new Set('i me my we us our you your'.split(' '))

/** `who is the president`, `who was the president`. Who speaks of himself says either: `why am I`, `why was I charged`. */
const auxiliary = fact(analysis => {
  const text = words(analysis)
  if (text.some(word => OWN.has(word))) return undefined
  const helper = text.slice(0, ASKING.has(text[0] ?? '') ? 4 : 1).find(word => AUXILIARY.has(word))
  return AUXILIARY.get(helper ?? '')
})
