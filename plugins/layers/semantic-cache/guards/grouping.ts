import { type Analysis, fact } from '../analysis.ts'
import type { Token } from '../token.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import { compares } from './direction.ts'
import type { Guard } from './guard.ts'

/** Between two equals. */
const JOINTS = new Set(['and', 'or', 'versus', 'vs'])
/** Behind one of these another part begins, which it leads. */
const LEADS = new Set(
  'to on off in out up down with without while before after during until till since from into onto than but if unless instead because for by at against under over through not no have want need like except'.split(
    ' ',
  ),
)

/**
 * Which words go together, where the words are the same: `turn on the light and turn off the fan` has other parts than
 * `turn off the light and turn on the fan`. The parts themselves may stand in any order.
 */
export const grouping: Guard = (a, b) => {
  if (!isBordered(a) || !isBordered(b) || (compares(a) && compares(b))) return undefined
  const [left, right] = [stems(a), stems(b)]
  if (left.length < 3 || left.length !== right.length || left.join(' ') === right.join(' ') || !isSame(left, right))
    return undefined
  const [mine, theirs] = [evened(a, neighbours(b)), evened(b, neighbours(a))]
  return isSame(led(mine), led(theirs)) && isSame(joined(mine), joined(theirs)) ? undefined : 'order'
}

const isBordered = fact(({ tokens }) => tokens.some(isBorder))
const isBorder = ({ kind, text }: Token): boolean => kind === 'word' && (JOINTS.has(text) || LEADS.has(text))

/** `doing` says no more than `do`. */
const isPart = ({ kind, text }: Token): boolean => kind !== 'word' || !(FUNCTION_WORDS.has(text) || text === 'doing')

/** All that counts, as it stands; `to` is said or not before a verb. */
const stems = fact(({ tokens }) =>
  tokens.filter(one => isPart(one) || (one.text !== 'to' && LEADS.has(one.text))).map(key),
)

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && [...a].sort().join('\n') === [...b].sort().join('\n')

/** What each leading word leads: the first word behind it. */
function led(tokens: readonly Token[]): string[] {
  const found: string[] = []
  let lead: string | undefined
  for (const one of tokens) {
    if (isPart(one)) {
      if (lead !== undefined) found.push(`${lead} ${key(one)}`)
      lead = undefined
    } else if (LEADS.has(one.text)) lead = one.text === 'to' ? undefined : one.stem
  }
  return found
}

/** What stands on the two sides of a joint. */
const pair = (one: Token, two: Token): string =>
  one.stem < two.stem ? `${one.stem} ${two.stem}` : `${two.stem} ${one.stem}`

const neighbours = fact(({ tokens }) => {
  const found = new Set<string>()
  for (const [i, { text }] of tokens.entries()) {
    const [one, two] = [tokens[i - 1], tokens[i + 1]]
    if (JOINTS.has(text) && one && two) found.add(pair(one, two))
  }
  return found
})

/** Where both sides join the same two words (`salt and pepper`, `pepper and salt`), in one order on both. */
function evened({ tokens }: Analysis, theirs: ReadonlySet<string>): readonly Token[] {
  const found = [...tokens]
  for (const [i, { text }] of tokens.entries()) {
    const [one, two] = [found[i - 1], found[i + 1]]
    if (!JOINTS.has(text) || !one || !two || one.stem <= two.stem || !theirs.has(pair(one, two))) continue
    found[i - 1] = { ...two, gap: one.gap }
    found[i + 1] = { ...one, gap: two.gap }
  }
  return found
}

/** The parts between the joints, each as its words in order of the alphabet. */
function joined(tokens: readonly Token[]): string[] {
  const found: string[][] = [[]]
  for (const one of tokens) {
    if (JOINTS.has(one.text) || /[,;]/.test(one.gap)) found.push([])
    if (isPart(one)) found.at(-1)?.push(key(one))
  }
  return found.flatMap(words => (words.length > 0 ? [words.sort().join(' ')] : []))
}

/** `take` and `taking` in one spelling. */
const key = ({ stem }: Token): string => stem.replace(/e$/, '')
