import { type Analysis, fact } from '../analysis.ts'
import type { Token } from '../token.ts'
import { type Guard, isContentWord } from './guard.ts'

const ACTORS = new Set('i you u we to they one people'.split(' '))
const PARTICIPLE = /^(?:[a-z]{3,}ed|lost|stolen|broken|hidden|written|frozen|forgotten|sent|bought|sold)$/

/** `delete files` does what `recover deleted files` finds done. */
export const actions: Guard = (a, b) => (done(a, b) || done(b, a) ? 'deed' : undefined)

function done(a: Analysis, b: Analysis): boolean {
  for (const one of finished(a)) if (doing(b).has(one) && !doing(a).has(one)) return true
  return false
}

const doing = fact(({ tokens }) => {
  const found = new Set<string>()
  for (const [i, { stem }] of tokens.entries()) if (isDoing(tokens, i)) found.add(stem)
  return found
})

const finished = fact(({ tokens }) => {
  const found = new Set<string>()
  for (const [i, { stem }] of tokens.entries()) if (isDone(tokens, i)) found.add(stem)
  return found
})

/** `how do I lock …`, `lock …`. */
const isDoing = (tokens: readonly Token[], i: number): boolean =>
  (i === 0 || ACTORS.has(tokens[i - 1]?.text ?? '')) &&
  isContentWord(tokens[i]) &&
  !PARTICIPLE.test(tokens[i]?.text ?? '')

/** `locked files`, behind another word than a form of `be` or `have`. */
const isDone = (tokens: readonly Token[], i: number): boolean =>
  i > 0 &&
  PARTICIPLE.test(tokens[i]?.text ?? '') &&
  isContentWord(tokens[i + 1]) &&
  !/^(?:is|are|was|were|be|been|being|am|has|have|had|get|got|not|i|you|we|they|he|she|it)$/.test(
    tokens[i - 1]?.text ?? '',
  )
