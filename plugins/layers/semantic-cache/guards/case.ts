import { fact } from '../analysis.ts'
import { saysCaseIn } from '../capitals.ts'
import { givenTextStart } from '../given-text.ts'
import type { Token } from '../token.ts'
import type { Guard } from './guard.ts'

/** `STEM` beside `stem`, `RAM` beside `ram`: one word in another case, where its case says what it is. */
export const letterCase: Guard = (a, b) => {
  const [left, right] = [forms(a), forms(b)]
  for (const [text, mine] of left) {
    const theirs = right.get(text)
    if (theirs && (mine.cased || theirs.cased) && mine.all !== theirs.all) return 'case'
  }
  return undefined
}

interface Forms {
  /** Does one of them say something? */
  readonly cased: boolean
  readonly all: string
}

/** How each word is written. A capital that says nothing leaves its word out: it may stand for either. */
const forms = fact(({ tokens }) => {
  const saysCase = saysCaseIn(tokens)
  const given = givenTextStart(tokens)
  const found = new Map<string, { cased: boolean; ways: Set<string> }>()
  const ambiguous = new Set<string>()
  for (const [i, one] of tokens.entries()) {
    const { text } = one
    const raw = one.raw.replace(/\P{L}/gu, '')
    if (!isWord(one, tokens[i + 1]) || raw.toLowerCase() !== text) continue
    const cased = raw !== text && (i >= given || saysCase(i))
    if (raw !== text && !cased) {
      ambiguous.add(text)
      continue
    }
    const known = found.get(text) ?? { cased: false, ways: new Set() }
    known.cased ||= cased
    known.ways.add(raw)
    found.set(text, known)
  }
  const all = new Map<string, Forms>()
  for (const [text, { cased, ways }] of found)
    if (!ambiguous.has(text)) all.set(text, { cased, all: [...ways].sort().join(' ') })
  return all
})

/** Not a letter, nor a short form, which has all of its letters in its first word. */
const isWord = ({ kind, text }: Token, next: Token | undefined): boolean =>
  kind === 'word' && text.length > 1 && next?.raw !== ''
