import { type Facts, fact } from '../facts.ts'
import { ENGLISH } from '../function-words.ts'
import type { Token } from '../token.ts'
import { wordSet } from '../word-set.ts'

/** Behind these stands another thing than before them; `and`, `with` and `between` have both sides alike. */
const DIRECTED = wordSet('to into onto from than over before after by of for in on at under without against via')
/** Words of content on each side that belong to a preposition. */
const REACH = 3

interface Place {
  readonly word: string
  readonly left: ReadonlySet<string>
  readonly right: ReadonlySet<string>
}

/** `from Paris to London`, `PDF to Word`: where two things have changed sides, another thing is asked. */
export function agreeOnOrder(a: Facts, b: Facts): boolean {
  return !places(a).some(here =>
    places(b).some(there => there.word === here.word && meet(here.left, there.right) && meet(here.right, there.left)),
  )
}

const meet = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean => {
  for (const word of one) if (other.has(word)) return true
  return false
}

const places = fact(({ said }): readonly Place[] =>
  said.flatMap(({ kind, text }, i) => {
    if (kind !== 'word' || !DIRECTED.has(text)) return []
    const left = contents(said.slice(0, i).reverse())
    const right = contents(said.slice(i + 1))
    // `PDF to Word` and `Word into PDF` are each other's reverse, too.
    const word = text === 'into' || text === 'onto' ? 'to' : text
    return left.size > 0 && right.size > 0 ? [{ word, left, right }] : []
  }),
)

function contents(tokens: readonly Token[]): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { kind, text, raw } of tokens) {
    if (found.size === REACH) break
    // `US` is no pronoun.
    if (kind !== 'word' || !ENGLISH.has(text) || /\p{L}\p{Lu}/u.test(raw))
      found.add(text.length > 3 ? text.replace(/s$/, '') : text)
  }
  return found
}

/** Before a word these make its contrary: `safe`, `unsafe`. */
const PREFIXES = ['un', 'in', 'im', 'ir', 'il', 'dis', 'non', 'mis', 'de']

/** A word of one prompt alone and its contrary of the other alone. */
export function agreeOnPrefixes(a: Facts, b: Facts): boolean {
  const [left, right] = [words(a), words(b)]
  return !hasContrary(left, right) && !hasContrary(right, left)
}

const words = fact(({ said }) => new Set(said.flatMap(({ kind, text }) => (kind === 'word' ? [text] : []))))

function hasContrary(here: ReadonlySet<string>, there: ReadonlySet<string>): boolean {
  for (const word of here) {
    if (word.length < 3 || there.has(word)) continue
    for (const prefix of PREFIXES) if (there.has(prefix + word) && !here.has(prefix + word)) return true
  }
  return false
}
