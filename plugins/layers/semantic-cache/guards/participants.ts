import { type Analysis, fact } from '../analysis.ts'
import type { Token } from '../token.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import { compares } from './direction.ts'
import type { Guard } from './guard.ts'
import { BE, CONTENT_VERBS, PARTICIPLE, root } from './verbs.ts'

/** One person in all cases. What somebody owns stands for itself: `my` and `his` are no one here. */
const PEOPLE = new Map([
  ['i', 'i'],
  ['me', 'i'],
  ['myself', 'i'],
  ['we', 'i'],
  ['us', 'i'],
  ['you', 'you'],
  ['u', 'you'],
  ['yourself', 'you'],
  ['he', 'he'],
  ['him', 'he'],
  ['she', 'she'],
  ['her', 'she'],
  ['they', 'they'],
  ['them', 'they'],
  ['someone', 'someone'],
  ['somebody', 'someone'],
  ['anyone', 'someone'],
  ['anybody', 'someone'],
])
const PERSONS = new Set(PEOPLE.values())

/** Who stands before and behind one word: who does it, and to whom. */
interface Sides {
  readonly doer: string | undefined
  readonly done: string | undefined
}

/** `can my landlord sue me` is not `can I sue my landlord`; `can I be sued by my landlord` is the former. */
export const participants: Guard = (a, b) => {
  if (compares(a) || compares(b) || !(isPersonal(a) || isPersonal(b))) return undefined
  const left = deeds(a)
  const right = deeds(b)
  for (const [deed, mine] of left) {
    const theirs = right.get(deed)
    if (mine && theirs && (isTurned(mine, theirs) || isTurned(theirs, mine))) return 'order'
  }
  return isMirrored(a, b) ? 'order' : undefined
}

/** Both changed sides, or a person did to whom a third one does it now. That `you` do it for me may be said either way. */
function isTurned(mine: Sides, theirs: Sides): boolean {
  // `stop calling my ex`, `stop my ex calling me`.
  if (theirs.done === 'i' && theirs.doer !== undefined && theirs.doer === mine.done) return mine.doer !== theirs.doer
  if (mine.doer === undefined || mine.doer !== theirs.done || mine.doer === mine.done) return false
  if (theirs.doer === undefined || theirs.doer === theirs.done) return false
  const known = PERSONS.has(mine.doer) || PERSONS.has(theirs.doer)
  return known && (mine.done === theirs.doer || (mine.doer === 'i' && theirs.doer !== 'you' && mine.done !== undefined))
}
/**
 * What stood before a word now stands behind it and the other way round, and one of them is a person:
 * `my dog stops biting me`, `I stop biting my dog`.
 */
function isMirrored(a: Analysis, b: Analysis): boolean {
  if (hasPassive(a) || hasPassive(b)) return false
  const right = places(b)
  const shared: { there: number; person: boolean }[] = []
  let [turned, last] = [false, -1]
  for (const [role, at] of places(a)) {
    const there = right.get(role)
    if (at < 0 || there === undefined || there < 0) continue
    shared.push({ there, person: PERSONS.has(role) })
    turned ||= there < last
    last = there
  }
  if (!turned) return false
  const least: { all: number; persons: number }[] = []
  let after = { all: Number.POSITIVE_INFINITY, persons: Number.POSITIVE_INFINITY }
  for (let i = shared.length - 1; i >= 0; i--) {
    least[i] = after
    const { there = 0, person = false } = shared[i] ?? {}
    after = { all: Math.min(after.all, there), persons: person ? Math.min(after.persons, there) : after.persons }
  }
  let [all, persons] = [-1, -1]
  for (const [i, { there, person }] of shared.entries()) {
    const behind = least[i] ?? after
    if (!person && ((persons > there && there > behind.all) || (all > there && there > behind.persons))) return true
    all = Math.max(all, there)
    if (person) persons = Math.max(persons, there)
  }
  return false
}

const roles = fact(({ tokens }) => tokens.map(roleOf))
const isPersonal = fact(analysis => roles(analysis).some(role => role !== undefined && PERSONS.has(role)))
const hasPassive = fact(({ tokens }) => tokens.some((_, i) => isPassive(tokens, i)))

/** Where each role stands, in the order of the first; -1 for what stands twice. */
const places = fact(analysis => {
  const found = new Map<string, number>()
  for (const [i, role] of roles(analysis).entries()) if (role !== undefined) found.set(role, found.has(role) ? -1 : i)
  return found
})

/** Each word of content that stands once, with the nearest ones on its sides; none for what stands twice. */
const deeds = fact(analysis => {
  const { tokens } = analysis
  const mine = roles(analysis)
  const behind: (string | undefined)[] = []
  let next: string | undefined
  for (let i = tokens.length - 1; i >= 0; i--) {
    behind[i] = next
    next = begins(tokens[i]) ? undefined : next
    next = SUBJECTS.has(tokens[i]?.text ?? '') ? undefined : (mine[i] ?? next)
    if (isPause(tokens[i]?.gap ?? '')) next = undefined
  }
  const found = new Map<string, Sides | undefined>()
  let before: string | undefined
  for (const [i, one] of tokens.entries()) {
    const role = mine[i]
    if (begins(one) || isPause(one.gap)) before = undefined
    if (role !== undefined && !PERSONS.has(role)) {
      const passive = isPassive(tokens, i)
      const agent = passive && tokens[i + 1]?.text === 'by' ? behind[i] : undefined
      const sides = passive ? { doer: agent, done: before } : { doer: before, done: behind[i] }
      found.set(role, found.has(role) ? undefined : sides)
    }
    if (role !== undefined && !one.text.endsWith('ly')) before = role
  }
  return found
})

const isPause = (gap: string): boolean => gap !== ' ' && /[,.;:?!]/.test(gap)

/** Nothing is done to these: in `the item I bought` they begin a sentence. */
const SUBJECTS = new Set('i we he they'.split(' '))
/** Behind these another sentence begins. */
const BEGINS = new Set('if when because that while what who where why how which'.split(' '))
const begins = (one: Token | undefined): boolean => one !== undefined && BEGINS.has(one.text)

function roleOf({ kind, text, stem: own }: Token): string | undefined {
  if (kind !== 'word') return kind === 'symbol' ? undefined : text
  const person = PEOPLE.get(text)
  if (person !== undefined) return person
  return FUNCTION_WORDS.has(text) && !CONTENT_VERBS.has(own) ? undefined : root(own)
}

/** `was I sued`, `to be sued`. */
function isPassive(tokens: readonly Token[], i: number): boolean {
  if (!PARTICIPLE.test(tokens[i]?.text ?? '')) return false
  for (let at = i - 1; at >= Math.max(0, i - 4); at--) if (BE.has(tokens[at]?.text ?? '')) return true
  return false
}
