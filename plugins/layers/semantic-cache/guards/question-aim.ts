import { type Analysis, content, fact, words } from '../analysis.ts'
import type { Token } from '../token.ts'
import type { Guard } from './guard.ts'
import { questionKind } from './question.ts'

/**
 * The same things asked about to another end: `does it work`, `how does it work`; `what is a branch`, `how do I create a
 * branch`; `should I quit`, `how do I quit`. Where the words that ask may stand for one another elsewhere, they may not here.
 */
export const questionAim: Guard = (a, b) => (differs(a, b) || differs(b, a) ? 'question_word' : undefined)

function differs(a: Analysis, b: Analysis): boolean {
  const other = questionKind(b)
  if (isAdvice(a)) return !isAdvice(b) && (other === 'how' || other === 'yes' || other === 'when')
  if (isWhether(a)) return other === 'how' || (other === 'how_long' && words(b)[2] === 'is')
  if (isPast(b, 'where')) return isPast(a, 'how')
  if (isPlace(b)) return isThing(a)
  return isHowTo(b) && (explains(a) || (isThing(a) && isMore(content(b), content(a))))
}

const SHOULD = new Set('should ought must better worth recommended advisable need'.split(' '))
/** `should I`, `is it worth it`. */
const isAdvice = fact(analysis => words(analysis).some(word => SHOULD.has(word)) && questionKind(analysis) === 'yes')

const FACTS = new Set('is are was were do does did has have had'.split(' '))
/** What can be had is asked for either way: `is there`, `do you have`, `is it possible`. */
const OFFERS = new Set('there you possible way anyone anything something option'.split(' '))
const isWhether = fact(analysis => {
  const [first = '', ...rest] = words(analysis)
  return FACTS.has(first) && questionKind(analysis) === 'yes' && !rest.some(word => OFFERS.has(word))
})

const isPast = (analysis: Analysis, kind: string): boolean => {
  const [first, second = ''] = words(analysis)
  return first === kind && (second === 'did' || second === 'was' || second === 'were')
}

const HOW_TO = new Set('do can could should would'.split(' '))
const DOERS = new Set('i we one someone'.split(' '))
/** `how to`, `how do I`: and not `how do loops work`. */
const isHowTo = fact(analysis => {
  const text = words(analysis)
  const [, helper = '', doer = ''] = text.slice(Math.max(0, text.indexOf('how')))
  return text.includes('how') && (helper === 'to' || (HOW_TO.has(helper) && DOERS.has(doer)))
})

/** `what does X do`. */
const explains = fact(analysis => {
  const text = words(analysis)
  return text[0] === 'what' && (text[1] === 'does' || text[1] === 'do') && text.at(-1) === 'do' && text.length > 3
})

const OWNED = new Set('my your our their his her'.split(' '))
/** `what is X`, of a thing of one or two words. */
const isThing = fact(analysis => opens(analysis, 'what'))
const isPlace = fact(analysis => opens(analysis, 'where'))
const opens = (analysis: Analysis, kind: string): boolean => {
  const text = words(analysis)
  if (text[0] !== kind || !/^(?:is|are|was|were)$/.test(text[1] ?? '')) return false
  return !text.some(word => OWNED.has(word)) && content(analysis).length > 0 && content(analysis).length < 4
}

/** All of the few and something beside. */
const isMore = (many: readonly Token[], few: readonly Token[]): boolean =>
  many.length > few.length && few.every(one => many.some(({ stem }) => stem === one.stem))
