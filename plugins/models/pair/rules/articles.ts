import { type Facts, fact } from '../facts.ts'
import { ENGLISH } from '../function-words.ts'
import { nameOf } from '../names.ts'
import { isStart, styleOf } from '../says-case.ts'

/** `what is Python`, `what is a python`: in the same words a name has no article, and what it is called after has one. */
export const agreeOnArticles = (a: Facts, b: Facts): boolean => {
  if (others(a) !== others(b)) return true
  return !isNamed(a, b) && !isNamed(b, a)
}

const ARTICLES = new Set(['a', 'an'])
const others = fact(({ said }) => said.flatMap(({ text }) => (ARTICLES.has(text) ? [] : [text])).join(' '))

function isNamed(name: Facts, thing: Facts): boolean {
  const [here, there] = [nouns(name), nouns(thing)]
  for (const word of there.things) if (here.named.has(word) && !here.things.has(word)) return true
  return false
}

/** `PDF` is a thing, for all its capitals. */
const CAPITAL = /^\p{Lu}\p{Ll}/u

const nouns = fact(({ said }) => {
  const [named, things] = [new Set<string>(), new Set<string>()]
  for (const [i, { kind, text, raw }] of said.entries()) {
    if (kind !== 'word' || ENGLISH.has(text)) continue
    const [before, after] = [said[i - 1], said[i + 1]]
    // `a python script` is a script.
    const isAlone = after === undefined || after.kind !== 'word' || ENGLISH.has(after.text)
    const name = nameOf(text)
    if (before?.kind === 'word' && ARTICLES.has(before.text)) {
      if (isAlone) things.add(text)
    } else if (name?.family === 'programming_language' && !name.everyday) named.add(text)
    else if (CAPITAL.test(raw) && !isStart(said, i) && styleOf(said) !== 'shouted') named.add(text)
  }
  return { named, things }
})
