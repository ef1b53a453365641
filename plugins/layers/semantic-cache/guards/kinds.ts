import { fact } from '../analysis.ts'
import type { Guard } from './guard.ts'
import { sameSet } from './guard.ts'

/** Words that part a thing into kinds, so that what holds for the one kind need not hold for the whole. */
const KINDS = new Set(
  (
    'remote local private static dynamic global internal external virtual physical foreign domestic international national ' +
    'temporary permanent manual automatic partial joint nested raw frozen electric solar organic synthetic pregnant diabetic vegan ' +
    'vegetarian prepaid wireless anonymous encrypted concurrent async asynchronous stolen expired overdue commercial residential federal ' +
    'student corporate tax late canned dark interactive force self marble wooden leather plastic metal cotton celebrity cheap free ' +
    'online offline baby infant toddler child teenage teenager adult senior elderly men women male female wholesale ' +
    'retail wedding birthday funeral holiday medical dental legal military nuclear marine tropical urban rural indoor outdoor ' +
    'emergency generic portable handheld luxury vintage antique amateur professional lightweight heavyweight waterproof rechargeable ' +
    'disposable reusable inline outer inner abstract mutable immutable linear quadratic binary logistic polynomial multiple parallel ' +
    'distributed decimal hexadecimal octal compound chronic acute bacterial viral fungal seasonal invasive feral'
  ).split(' '),
)

/** `delete a branch`, `delete a remote branch`. */
export const kinds: Guard = (a, b) => {
  const [left, right] = [kindsOf(a), kindsOf(b)]
  return sameSet(left, right) ? undefined : 'kind'
}

const kindsOf = fact(({ tokens }) => {
  const found = new Set<string>()
  for (const { kind, text, stem } of tokens) {
    if (kind !== 'word' && kind !== 'quoted') continue
    const one = ALIKE.get(text) ?? (text.endsWith('s') ? stem : text)
    if (KINDS.has(one)) found.add(one)
  }
  return found
})
const ALIKE = new Map([
  ['kid', 'child'],
  ['kids', 'child'],
  ['children', 'child'],
])
