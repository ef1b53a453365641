import { type Facts, fact, hasAll } from '../facts.ts'
import { amountsOf, unitOf } from '../numbers.ts'
import { wordSet } from '../word-set.ts'

const amounts = fact(({ said }) => amountsOf(said))

/** All numbers, in order. */
export function agreeOnNumbers(a: Facts, b: Facts): boolean {
  const [left, right] = [amounts(a), amounts(b)]
  return left.length === right.length && left.every(({ value }, i) => value === right[i]?.value)
}

/** Without these a number is another one. */
const OF_VALUE = new Set('%$€£₹¥')

/** What numbers count, and the measures named beside them: `cost per month`, `10 kg to pounds`. One side may name more. */
export function agreeOnUnits(a: Facts, b: Facts): boolean {
  const [left, right] = [amounts(a), amounts(b)]
  for (const [i, { unit }] of left.entries()) {
    const other = right[i]?.unit
    if (unit === other) continue
    if ((unit !== undefined && other !== undefined) || OF_VALUE.has(unit ?? other ?? '')) return false
  }
  return hasAll(measures(a), measures(b)) || hasAll(measures(b), measures(a))
}

/** Names of units that are more often something else: `i am`, `hr department`, `next to each line`. */
const OTHERWISE = wordSet(
  'am pm hr min mo mi rs px bn meg gig times time word words sentence sentences line lines character characters paragraph paragraphs',
)

const measures = fact(facts => {
  const found = new Set<string>()
  for (const { unit } of amounts(facts)) if (unit !== undefined) found.add(unit)
  for (const { kind, text } of facts.said) {
    const unit = kind === 'word' && text.length > 1 && !OTHERWISE.has(text) ? unitOf(text) : undefined
    if (unit !== undefined) found.add(unit)
  }
  return found
})
