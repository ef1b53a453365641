import { type Facts, fact } from '../facts.ts'
import { ENGLISH } from '../function-words.ts'
import type { Token } from '../token.ts'
import { wordSet } from '../word-set.ts'
import { agreeOnCauses } from './causes.ts'
import { isExchanged, singular } from './exchanged.ts'
import { agreeOnRoles } from './roles.ts'

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
  const turned = places(a).some(here =>
    places(b).some(there => there.word === here.word && meet(here.left, there.right) && meet(here.right, there.left)),
  )
  return !turned && !isExchanged(a, b) && agreeOnCauses(a, b) && agreeOnRoles(a, b)
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
    if (kind !== 'word' || !ENGLISH.has(text) || /\p{L}\p{Lu}/u.test(raw)) found.add(singular(text))
  }
  return found
}
