import { type Facts, fact } from '../facts.ts'
import type { Token } from '../token.ts'
import { wordSet } from '../word-set.ts'

/** `as fast as`, `as much sugar as`: so many words stand between at most. */
const BETWEEN = 4
/** Behind the first `as` these compare nothing: `as soon as`, `as far as I know`. */
const NO_DEGREE = wordSet('soon well long far if though of')
/** Behind the last one these set no other thing beside the first: `as fast as possible`, `as much as I can`. */
const NO_OTHER = wordSet('possible i you we they needed necessary')
/** `rather than` prefers, and `other than` leaves out. */
const NO_MORE = wordSet('rather other different')

/** `as fast as C`, `faster than C`: where both compare, both say as much, or both say more or less. */
export function agreeOnDegrees(a: Facts, b: Facts): boolean {
  const [here, there] = [degrees(a), degrees(b)]
  return here === '' || there === '' || here === there
}

const degrees = fact(({ said }) => {
  const found = new Set<string>()
  for (const [i, { text }] of said.entries()) {
    if (text === 'than' && !NO_MORE.has(said[i - 1]?.text ?? '')) found.add('than')
    if (text === 'as' && comparesAt(said, i)) found.add('as')
  }
  return [...found].sort().join(' ')
})

function comparesAt(said: readonly Token[], i: number): boolean {
  if (NO_DEGREE.has(said[i + 1]?.text ?? '')) return false
  const end = said.findIndex(({ text }, at) => at > i + 1 && at <= i + 1 + BETWEEN && text === 'as')
  return end > 0 && !NO_OTHER.has(said[end + 1]?.text ?? '')
}
