import { asksAboutMannersBefore, isAboutManners } from '../asked-text.ts'
import { type Facts, fact } from '../facts.ts'
import { PLEAS } from '../function-words.ts'
import { speaksOfWords } from '../given-text.ts'
import { isPlea } from '../manners.ts'
import { wordSet } from '../word-set.ts'

/** Each with the word that it stands for. */
const MANNERS = new Map([
  ...[...PLEAS].map(word => [word, word === 'kindly' ? word : 'please'] as const),
  ...['thanks', 'thank', 'thx'].map(word => [word, 'thanks'] as const),
  ...'hello hi hey goodbye bye sorry cheers'.split(' ').map(word => [word, word] as const),
])
/** `Japanese for please`. */
const BEFORE_WORD = wordSet('for of')

const ASKS = wordSet('ask asking write writing reply replying answer answering')

/** `the word for please`, `the word for thanks`: where words are spoken of, these are what is asked about. */
export function agreeOnManners(a: Facts, b: Facts): boolean {
  const [here, there] = [spokenOf(a), spokenOf(b)]
  return here === undefined || there === undefined || here === there
}

const spokenOf = fact(({ said }) => {
  const found = new Set<string>()
  // None at all is another text then: `is it rude to say hurry`.
  const asks = asksAboutMannersBefore(said)
  let isExact = asks
  let speaks = false
  for (const [i, { kind, text, gap }] of said.entries()) {
    const pauses = gap !== ' ' && /[.,!?;\n–—]/.test(gap)
    if (pauses && !gap.includes(',')) speaks = false
    const word = MANNERS.get(kind === 'quoted' ? text.replace(/ .*/, '') : text)
    const isMeant = speaks || BEFORE_WORD.has(said[i - 1]?.text ?? '')
    if (word !== undefined && (asks || isAboutManners(said, i) || (isMeant && !pauses && !isPlea(said, i))))
      found.add(word)
    if (kind !== 'word') continue
    if (speaksOfWords(text)) speaks = true
    if (speaks || ASKS.has(text)) isExact ||= isAboutManners(said, i)
  }
  return isExact || found.size > 0 ? [...found].sort().join(' ') : undefined
})
