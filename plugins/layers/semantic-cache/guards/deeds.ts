import type { Token } from '../tokens.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import type { Guard } from './guard.ts'

const ACTORS = new Set('i you u we to they one people'.split(' '))
const PARTICIPLE = /^(?:[a-z]{3,}ed|lost|stolen|broken|hidden|written|frozen|forgotten|sent|bought|sold)$/

/** `delete files` does what `recover deleted files` finds done. */
export const deeds: Guard = (a, b) => (done(a, b) || done(b, a) ? 'deed' : undefined)

function done(a: readonly Token[], b: readonly Token[]): boolean {
  const doing = new Set(b.flatMap((one, i) => (isDoing(b, i) ? [one.stem] : [])))
  return a.some(
    (one, i) => doing.has(one.stem) && isDone(a, i) && !a.some((_, at) => a[at]?.stem === one.stem && isDoing(a, at)),
  )
}

/** `how do I lock …`, `lock …`. */
const isDoing = (tokens: readonly Token[], i: number): boolean =>
  isWord(tokens[i]) && !PARTICIPLE.test(tokens[i]?.text ?? '') && (i === 0 || ACTORS.has(tokens[i - 1]?.text ?? ''))

/** `locked files`, behind another word than a form of `be` or `have`. */
const isDone = (tokens: readonly Token[], i: number): boolean =>
  i > 0 &&
  PARTICIPLE.test(tokens[i]?.text ?? '') &&
  isWord(tokens[i + 1]) &&
  !/^(?:is|are|was|were|be|been|being|am|has|have|had|get|got|not|i|you|we|they|he|she|it)$/.test(
    tokens[i - 1]?.text ?? '',
  )

const isWord = (one: Token | undefined): boolean => one?.kind === 'word' && !FUNCTION_WORDS.has(one.text)
