import { type Facts, fact } from '../facts.ts'
import { wordSet } from '../word-set.ts'
import { bareWords } from './exchanged.ts'

const ASKING = wordSet('who whom what which')
/** Behind these comes who acts, and then what is done: `who did Brutus kill`, `what can dogs eat`. */
const DOING = wordSet('do did')
const HELPING = wordSet('have had can could will would should may might must')

/** `what is a mutex` and `what means mutex` ask what `what does mutex mean` asks: nothing is done there. */
const NO_DEED = wordSet('is are am was were be do mean')

const PARTICLES = wordSet(
  'to into onto from over before after by of for in on at under with against through up out off about',
)
/** `under whom did Plato study` has neither. */
const BEFORE_WHOM = wordSet('of by for from to in on at with under into about against behind after before')

/** `who killed Caesar`, `whom did Caesar kill`: the one who acts in one question is acted upon in the other. */
export const agreeOnRoles = (a: Facts, b: Facts): boolean => !isTurned(a, b) && !isTurned(b, a)

/** Has `subject` the verb first where `object` has the one who acts first, and all else the same? */
function isTurned(object: Facts, subject: Facts): boolean {
  const [acted, acting] = [questionOf(object), questionOf(subject)]
  if (!acted || !acting) return false
  const at = acted.findIndex(word => DOING.has(word) || HELPING.has(word))
  // What stands before it tells what is asked for: `which teams`, `who`.
  if (at < 0 || acted.slice(0, at).some((word, i) => word !== acting[i])) return false
  const helper = acted[at] ?? ''
  const behind = HELPING.has(helper) ? at + 1 : at
  if (behind > at && acting[at] !== helper) return false
  const [said, asked] = [acted.slice(at + 1), acting.slice(behind)]
  if (said.length !== asked.length || NO_DEED.has(asked[0] ?? '')) return false
  for (let who = 1; who < said.length; who++)
    if (!NO_DEED.has(said[who] ?? '') && isSwapped(said, asked, who)) return true
  return false
}

/** `libc depend on` is said, `depend on libc` asked. The verbs are not compared: `taught` and `teach` have little in common. */
function isSwapped(said: readonly string[], asked: readonly string[], who: number): boolean {
  const is = (here: number, there: number, length: number): boolean =>
    said.slice(here, here + length).every((word, i) => word === asked[there + i])
  for (let small = 0; small <= 2 && who + small < said.length; small++) {
    if (small > 0 && !PARTICLES.has(said[who + small] ?? '')) return false
    const rest = who + 1 + small
    if (is(0, 1 + small, who) && is(who + 1, 1, small) && is(rest, rest, said.length - rest)) return true
  }
  return false
}

/** From the asking word on, which has one form; `undefined` where nothing is asked so, or of whom something is done. */
const questionOf = fact((facts): readonly string[] | undefined => {
  const words = bareWords(facts)
  const from = words.findIndex(word => ASKING.has(word))
  if (from < 0 || BEFORE_WHOM.has(words[from - 1] ?? '')) return undefined
  return words.slice(from).map(word => (word === 'whom' ? 'who' : word))
})
