import type { Token } from '../tokens.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import { compares } from './direction.ts'
import type { Guard } from './guard.ts'

/** Prepositions of a row stand for one another; two of one table, before one thing, ask two things. */
const TABLES: readonly (readonly string[])[] = [
  ['to into onto towards toward', 'from'],
  ['before', 'after', 'during while', 'until till', 'since', 'on upon'],
  ['with', 'without'],
]
const ROWS = TABLES.flatMap((table, i) => table.map(row => ({ table: i, words: row.split(' ') })))

/** `a flight to Oslo`, `a flight from Oslo`; `before the meal`, `during the meal`. */
export const prepositions: Guard = (a, b) => {
  if (compares(a) || compares(b)) return particle(a, b) ? 'particle' : undefined
  const left = governed(a)
  const right = governed(b)
  for (const [thing, mine] of left) {
    const theirs = right.get(thing)
    if (theirs === undefined || theirs === mine) continue
    if (ROWS[mine]?.table === ROWS[theirs]?.table) return 'preposition'
  }
  return particle(a, b) ? 'particle' : undefined
}

const DETERMINERS = new Set('my your our his her their its this that these those some any each every all'.split(' '))

/** The row of the preposition before each thing. A thing that has two says nothing. */
function governed(tokens: readonly Token[]): Map<string, number> {
  const found = new Map<string, number>()
  const twice = new Set<string>()
  for (const [i, { text, kind }] of tokens.entries()) {
    const row = kind === 'word' ? ROWS.findIndex(({ words }) => words.includes(text)) : -1
    if (row === -1) continue
    let at = i + 1
    while (DETERMINERS.has(tokens[at]?.text ?? '')) at++
    const thing = tokens[at]
    if (!thing || (thing.kind === 'word' && FUNCTION_WORDS.has(thing.text))) continue
    if (found.has(thing.stem)) twice.add(thing.stem)
    found.set(thing.stem, row)
  }
  for (const thing of twice) found.delete(thing)
  return found
}

/** Behind a verb these make another verb of it. */
const PARTICLES = new Set('in up down out off over away after'.split(' '))
/** As a preposition `in` stands where others do: `in three days`, `after three days`. */
const NOT_BESIDE_IN = new Set(['down', 'out', 'off', 'away'])
/** `top up` and `top off`, `close up` and `close down`. */
const ALIKE = new Set(['fill', 'top', 'close'])

/** `look up a word`, `look after a word`. */
function particle(a: readonly Token[], b: readonly Token[]): boolean {
  const right = particles(b)
  for (const [verb, mine] of particles(a)) {
    const theirs = right.get(verb)
    if (theirs === undefined || theirs === mine || ALIKE.has(verb)) continue
    const other = mine === 'in' ? theirs : theirs === 'in' ? mine : undefined
    if (other === undefined || NOT_BESIDE_IN.has(other)) return true
  }
  return false
}

const particles = (tokens: readonly Token[]): Map<string, string> =>
  new Map(
    tokens.flatMap((one, i) => {
      const next = tokens[i + 1]?.text ?? ''
      const verb = one.kind === 'word' && !FUNCTION_WORDS.has(one.text)
      return verb && PARTICLES.has(next) ? [[one.stem, next] as const] : []
    }),
  )
