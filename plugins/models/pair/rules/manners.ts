import { asksAboutMannersBefore } from '../asked-text.ts'
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

/** `the word for please`, `the word for thanks`: where words are spoken of, these are what is asked about. */
export function agreeOnManners(a: Facts, b: Facts): boolean {
  const [here, there] = [spokenOf(a), spokenOf(b)]
  return here === undefined || there === undefined || here === there
}

const spokenOf = fact(({ said }) => {
  const found = new Set<string>()
  const asks = asksAboutMannersBefore(said)
  let speaks = false
  for (const [i, { kind, text, gap }] of said.entries()) {
    const pauses = gap !== ' ' && /[.,!?;\n–—]/.test(gap)
    if (pauses && !gap.includes(',')) speaks = false
    const word = MANNERS.get(kind === 'quoted' ? text.replace(/ .*/, '') : text)
    const isMeant = speaks || BEFORE_WORD.has(said[i - 1]?.text ?? '')
    if (word !== undefined && (asks || (isMeant && !pauses && !isPlea(said, i)))) found.add(word)
    if (kind === 'word' && speaksOfWords(text)) speaks = true
  }
  return asks || found.size > 0 ? [...found].sort().join(' ') : undefined
})
