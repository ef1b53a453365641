import type { Token } from '../tokens.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import { compares } from './direction.ts'
import type { Guard } from './guard.ts'

/** These hold together what stands on their two sides: `a kilo of feathers`, `the door's key`. */
const GLUE = new Set(
  "of 's a an the my your his her their our its this that these those is are do does did i".split(' '),
)
/** Between equals: what follows is led by what led the first. */
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
export const company: Guard = (a, b) => {
  if (!a.some(isBorder) || !b.some(isBorder) || (compares(a) && compares(b))) return undefined
  const [left, right] = [stems(a), stems(b)]
  if (left.length < 3 || left.join(' ') === right.join(' ') || !isSame(left, right)) return undefined
  return isSame(parts(a), parts(b)) ? undefined : 'order'
}

const isBorder = ({ kind, text }: Token): boolean => kind === 'word' && (JOINTS.has(text) || LEADS.has(text))

const isPart = ({ kind, text }: Token): boolean => kind !== 'word' || !FUNCTION_WORDS.has(text)

/** All that counts, as it stands; `to` is said or not before a verb. */
const stems = (tokens: readonly Token[]): string[] =>
  tokens.flatMap(one => (isPart(one) || (one.text !== 'to' && LEADS.has(one.text)) ? [one.stem] : []))

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && [...a].sort().join('\n') === [...b].sort().join('\n')

/** Each part as its words in order of the alphabet, behind the word that leads it. */
function parts(all: readonly Token[]): string[] {
  const tokens = evened(all)
  const found: string[] = []
  let words: string[] = []
  let lead = ''
  const end = (next: string): void => {
    if (words.length > 0) found.push(`${lead}: ${words.sort().join(' ')}`)
    words = []
    lead = next
  }
  for (const one of tokens) {
    if (isPart(one)) words.push(one.stem)
    else if (LEADS.has(one.text)) end(words.length === 0 && one.text === 'to' ? '' : one.stem)
    else if (JOINTS.has(one.text)) end(lead)
    else if (!GLUE.has(one.text)) end('')
  }
  end('')
  return found
}

/** `clever and smart` as `smart and clever`: two single words may stand in any order, wherever the part begins. */
function evened(tokens: readonly Token[]): readonly Token[] {
  const found = [...tokens]
  for (const [i, joint] of tokens.entries()) {
    const [one, two, next] = [found[i - 1], tokens[i + 1], tokens[i + 2]]
    if (!JOINTS.has(joint.text) || !one || !two || !isPart(one) || !isPart(two)) continue
    if (one.stem > two.stem && (!next || isBorder(next))) [found[i - 1], found[i + 1]] = [two, one]
  }
  return found
}
