import { type Analysis, fact } from '../analysis.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import { compares } from './direction.ts'
import type { Guard } from './guard.ts'

/** Prepositions of a row stand for one another; two of one table, before one thing, ask two things. */
const TABLES: readonly (readonly string[])[] = [
  ['to into onto towards toward', 'from'],
  ['before', 'after', 'during while', 'until till', 'since', 'on upon'],
  ['with', 'without'],
]
interface Row {
  readonly table: number
}
const ROW_OF = new Map<string, Row>()
for (const [table, rows] of TABLES.entries())
  for (const words of rows) {
    const row = { table }
    for (const word of words.split(' ')) ROW_OF.set(word, row)
  }

/** `a flight to Oslo`, `a flight from Oslo`; `before the meal`, `during the meal`. */
export const prepositions: Guard = (a, b) => {
  if (compares(a) || compares(b)) return particle(a, b) ? 'particle' : undefined
  const left = governed(a)
  const right = governed(b)
  for (const [thing, mine] of left) {
    const theirs = right.get(thing)
    if (theirs === undefined || theirs === mine) continue
    if (mine.table === theirs.table) return 'preposition'
  }
  return particle(a, b) ? 'particle' : undefined
}

const DETERMINERS = new Set('my your our his her their its this that these those some any each every all'.split(' '))

/** The row of the preposition before each thing. A thing that has two says nothing. */
const governed = fact(({ tokens }) => {
  const found = new Map<string, Row>()
  const twice = new Set<string>()
  for (const [i, { text, kind }] of tokens.entries()) {
    const row = kind === 'word' ? ROW_OF.get(text) : undefined
    if (!row) continue
    let at = i + 1
    while (DETERMINERS.has(tokens[at]?.text ?? '')) at++
    const thing = tokens[at]
    if (!thing || (thing.kind === 'word' && FUNCTION_WORDS.has(thing.text) && thing.text !== 'us')) continue
    if (found.has(thing.stem)) twice.add(thing.stem)
    found.set(thing.stem, row)
  }
  for (const thing of twice) found.delete(thing)
  return found
})

/** Behind a verb these make another verb of it. */
const PARTICLES = new Set('in up down out off over away after for'.split(' '))
/** As a preposition `in` stands where others do: `in three days`, `after three days`. */
const NOT_BESIDE_IN = new Set(['up', 'down', 'out', 'off', 'away'])
/** `top up` and `top off`, `close up` and `close down`. */
const ALIKE = new Set(['fill', 'top', 'close'])

/** `look up a word`, `look after a word`. */
function particle(a: Analysis, b: Analysis): boolean {
  const right = particles(b)
  for (const [verb, mine] of particles(a)) {
    const theirs = right.get(verb)
    if (theirs === undefined || theirs === mine || ALIKE.has(verb)) continue
    const other = mine === 'in' ? theirs : theirs === 'in' ? mine : undefined
    if (other === undefined || NOT_BESIDE_IN.has(other)) return true
  }
  return false
}

const particles = fact(({ tokens }) => {
  const found = new Map<string, string>()
  for (const [i, { kind, text, stem }] of tokens.entries()) {
    const next = tokens[i + 1]?.text ?? ''
    if (PARTICLES.has(next) && kind === 'word' && !FUNCTION_WORDS.has(text)) found.set(stem, next)
  }
  return found
})
