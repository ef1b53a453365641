import { once } from '../reading.ts'
import type { Guard } from './guard.ts'
import { sameSet } from './guard.ts'

/** Words that part a thing into kinds, so that what holds for the one kind need not hold for the whole. */
const KINDS = new Set(
  (
    'remote local private static dynamic global internal external virtual physical foreign domestic international national ' +
    'temporary permanent manual automatic partial joint nested raw frozen electric solar organic synthetic pregnant diabetic vegan ' +
    'vegetarian prepaid wireless anonymous encrypted concurrent async asynchronous stolen expired overdue commercial residential federal'
  ).split(' '),
)

/** `delete a branch`, `delete a remote branch`. */
export const kinds: Guard = (a, b) => {
  const [left, right] = [kindsOf(a), kindsOf(b)]
  return sameSet(left, right) ? undefined : 'kind'
}

const kindsOf = once(({ tokens }) => {
  const found = new Set<string>()
  for (const { kind, text } of tokens) if ((kind === 'word' || kind === 'quoted') && KINDS.has(text)) found.add(text)
  return found
})
