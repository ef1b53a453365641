import type { Token } from '../tokens.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import { stem } from '../words/stem.ts'
import { compares } from './direction.ts'
import type { Guard } from './guard.ts'

/** One person in all cases. What somebody owns stands for itself: `my` and `his` are no one here. */
const PEOPLE: Readonly<Record<string, string>> = {
  i: 'i',
  me: 'i',
  myself: 'i',
  we: 'i',
  us: 'i',
  you: 'you',
  u: 'you',
  yourself: 'you',
  he: 'he',
  him: 'he',
  she: 'she',
  they: 'they',
  them: 'they',
  someone: 'someone',
  somebody: 'someone',
  anyone: 'someone',
  anybody: 'someone',
}
/** Verbs that are grammar elsewhere. */
const DEEDS = new Set('like need want know tell show give own let have get love'.split(' '))
const BE = new Set('is are was were be been being am get got gets getting'.split(' '))
const PARTICIPLE =
  /^(?:[a-z]{2,}ed|hit|hurt|paid|bought|sold|sent|given|taken|seen|told|built|made|stolen|beaten|bitten|eaten|chosen|written|owned|left|kept|held|caught|taught|found)$/

/** Who stands before and behind one word: who does it, and to whom. */
interface Sides {
  readonly doer: string | undefined
  readonly done: string | undefined
}

/** `can my landlord sue me` is not `can I sue my landlord`; `can I be sued by my landlord` is the former. */
export const participants: Guard = (a, b) => {
  if (compares(a) || compares(b)) return undefined
  const left = deeds(a)
  const right = deeds(b)
  for (const [deed, mine] of left) {
    const theirs = right.get(deed)
    if (mine && theirs && (isTurned(mine, theirs) || isTurned(theirs, mine))) return 'order'
  }
  return undefined
}

/** Both changed sides, or a person did to whom a third one does it now. That `you` do it for me may be said either way. */
function isTurned(mine: Sides, theirs: Sides): boolean {
  if (mine.doer === undefined || mine.doer !== theirs.done || mine.doer === mine.done) return false
  if (theirs.doer === undefined || theirs.doer === theirs.done) return false
  const known = PERSONS.has(mine.doer) || PERSONS.has(theirs.doer)
  return known && (mine.done === theirs.doer || (mine.doer === 'i' && theirs.doer !== 'you' && mine.done !== undefined))
}
const PERSONS = new Set(Object.values(PEOPLE))

/** Each word of content that stands once, with the nearest ones on its sides; none for what stands twice. */
function deeds(tokens: readonly Token[]): Map<string, Sides | undefined> {
  const roles = tokens.map(roleOf)
  const behind: (string | undefined)[] = []
  let next: string | undefined
  for (let i = tokens.length - 1; i >= 0; i--) {
    behind[i] = next
    next = begins(tokens[i]) ? undefined : next
    next = roles[i] ?? next
    if (/[,.;:?!]/.test(tokens[i]?.gap ?? '')) next = undefined
  }
  const found = new Map<string, Sides | undefined>()
  let before: string | undefined
  for (const [i, one] of tokens.entries()) {
    const role = roles[i]
    if (begins(one) || /[,.;:?!]/.test(one.gap)) before = undefined
    if (role !== undefined && !PERSONS.has(role)) {
      const passive = isPassive(tokens, i)
      const agent = passive && tokens[i + 1]?.text === 'by' ? behind[i] : undefined
      const sides = passive ? { doer: agent, done: before } : { doer: before, done: behind[i] }
      found.set(role, found.has(role) ? undefined : sides)
    }
    if (role !== undefined && !one.text.endsWith('ly')) before = role
  }
  return found
}

/** Behind these another sentence begins. */
const BEGINS = new Set('if when because that while what who where why how which'.split(' '))
const begins = (one: Token | undefined): boolean => one !== undefined && BEGINS.has(one.text)

function roleOf({ kind, text, stem: own }: Token): string | undefined {
  if (kind !== 'word') return kind === 'symbol' ? undefined : text
  if (Object.hasOwn(PEOPLE, text)) return PEOPLE[text]
  return FUNCTION_WORDS.has(text) && !DEEDS.has(own) ? undefined : root(own)
}

/** `was I sued`, `to be sued`. */
function isPassive(tokens: readonly Token[], i: number): boolean {
  if (!PARTICIPLE.test(tokens[i]?.text ?? '')) return false
  for (let at = i - 1; at >= Math.max(0, i - 4); at--) if (BE.has(tokens[at]?.text ?? '')) return true
  return false
}

/** `succeeded` loses one ending to become `succeed`, which loses another. */
const root = (stemmed: string): string => stem(stemmed)

const AUXILIARY = new Set('do does did can could will would shall should may might must'.split(' '))
const ASKED = new Set(['who', 'whom', 'what', 'which'])

/** `who owns the shop` asks for the doer, `who does the shop own` for whom it is done to. */
export const asked: Guard = (a, b) => {
  const left = askedFor(a)
  const right = askedFor(b)
  return left && right && left.deed === right.deed && left.doer !== right.doer ? 'order' : undefined
}

interface Asked {
  readonly deed: string
  readonly doer: boolean
}

function askedFor(tokens: readonly Token[]): Asked | undefined {
  if (!ASKED.has(tokens[0]?.text ?? '')) return undefined
  const kind = tokens[0]?.text === 'which' || tokens[0]?.text === 'what'
  // `which company owns`, `what shop does`: the kind that is asked for goes before.
  const second = tokens[1]?.text ?? ''
  const at = kind && !AUXILIARY.has(second) && !BE.has(second) && isAuxiliary(tokens[2]) ? 2 : 1
  const helper = tokens[at]?.text ?? ''
  if (BE.has(helper)) {
    const verb = tokens.findIndex(({ text }, i) => i > at && PARTICIPLE.test(text))
    const one = tokens[verb]
    if (!one) return undefined
    // `who was A owned by` asks for the doer, `who is owned by A` does not.
    if (verb === at + 1) return tokens[verb + 1]?.text === 'by' ? { deed: root(one.stem), doer: false } : undefined
    return tokens[verb + 1]?.text === 'by' && verb + 2 >= tokens.length
      ? { deed: root(one.stem), doer: true }
      : undefined
  }
  if (AUXILIARY.has(helper)) {
    const last = tokens.findLast(one => isDeed(one))
    return last && tokens.length - at > 2 ? { deed: root(last.stem), doer: false } : undefined
  }
  const verb = tokens[kind && tokens.length > 3 && !isVerb(tokens[1]) ? 2 : 1]
  return verb && isDeed(verb) ? { deed: root(verb.stem), doer: true } : undefined
}

const isAuxiliary = (one: Token | undefined): boolean =>
  one !== undefined && (AUXILIARY.has(one.text) || BE.has(one.text))
const isDeed = ({ kind, text, stem: own }: Token): boolean =>
  kind === 'word' && (!FUNCTION_WORDS.has(text) || DEEDS.has(own))
/** `what causes fires`, and not `which company owns`. */
const isVerb = (one: Token | undefined): boolean => one !== undefined && /(?:s|ed)$|^hit$|^made$/.test(one.text)
