import { type Facts, fact, hasAll } from '../facts.ts'
import { ENGLISH } from '../function-words.ts'
import type { Token } from '../token.ts'
import { wordSet } from '../word-set.ts'

/** `what does "in" do`, `the "or" gate`: grammar that is asked about is what the prompt is about. */
export const agreeOnMentioned = (a: Facts, b: Facts): boolean =>
  hasAll(mentioned(a), words(b)) && hasAll(mentioned(b), words(a))

const ARTICLES = wordSet('a an the')
const plain = (word: string): string => (word === 'thanks' ? 'thank' : word)
const words = fact(({ said }): ReadonlySet<string> => new Set(said.flatMap(({ text }) => text.split(/\s+/)).map(plain)))

const mentioned = fact(({ said }) => {
  const found = new Set<string>()
  for (const [i, { kind, text }] of said.entries())
    if (kind === 'word' && ENGLISH.has(text) && !ARTICLES.has(text) && isMentioned(said, i)) found.add(plain(text))
  return found
})

const DOES = wordSet('do does did')
const DOING = wordSet('do mean')
/** `the in operator`, `an or gate`. */
const KINDS = wordSet('operator keyword clause statement gate')
const CALLED = wordSet('the a an sql python bash linux unix')
/** `the word and`. */
const BEFORE = wordSet('word command keyword operator')

function isMentioned(tokens: readonly Token[], i: number): boolean {
  const [first, before, after] = [wordAt(tokens, i - 2), wordAt(tokens, i - 1), wordAt(tokens, i + 1)]
  // `what do you mean`, `what does that mean`, `I did not do it` speak of no word.
  if (DOES.has(before)) return DOING.has(after) && JOINING.has(wordAt(tokens, i))
  if (KINDS.has(after) && CALLED.has(before)) return true
  if (BEFORE.has(before) && ARTICLES.has(first)) return after === '' || DOING.has(after)
  return before === 'for' && first === 'word'
}

const JOINING = wordSet(
  'is as at by on in or and nor if then else for from with within without into onto over of off per than but while during until via to',
)

const wordAt = (tokens: readonly Token[], i: number): string => (tokens[i]?.kind === 'word' ? tokens[i].text : '')
