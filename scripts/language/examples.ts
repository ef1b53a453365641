import { join } from 'node:path'
import { lettersOf } from '../../plugins/models/pair/grams.ts'
import { tokensOf } from '../../plugins/models/pair/tokens.ts'
import { corpusLines, familyPairs, languages, linesOf } from '../pair/labelled.ts'
import type { Draw } from './draw.ts'
import { Vocabulary } from './vocabulary.ts'

/** The words of a text in lower case. */
export interface Example {
  readonly words: readonly string[]
  readonly english: boolean
}

const wordsOf = (text: string): readonly string[] => lettersOf(tokensOf(text))
/** As typed on a keyboard that lacks the letters. */
const bare = (word: string): string =>
  word
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[ßøłæı]/g, letter => ({ ß: 'ss', ø: 'o', ł: 'l', æ: 'ae', ı: 'i' })[letter] ?? letter)
const mostSpoken = new Set('da de es fr it nb nl pl pt sv tr'.split(' '))

/** All examples in one order for one seed. `work` holds what `texts.py` wrote. */
export function examples(work: string, draw: Draw): Example[] {
  const vocabulary = new Vocabulary(linesOf(join(work, 'words.tsv.gz')))
  const english: (readonly string[])[] = []
  const others: (readonly string[])[] = []
  /** Texts that consist of English words alone were not translated, or are the same in both languages. */
  const addOther = (words: readonly string[]): void => {
    if (!words.every(word => vocabulary.isEnglish(word))) others.push(words)
  }

  const texts = linesOf(join(work, 'texts.tsv.gz')).map(line => line.split('\t'))
  const untranslated = new Set(texts.flatMap(([language, text = '']) => (language === 'en' ? [text] : [])))
  for (const [language, text = ''] of texts) {
    const words = wordsOf(text)
    if (language === 'en') english.push(words)
    if (language === 'en' || untranslated.has(text)) continue
    addOther(words)
    if (words.length > 4) addOther(draw.part(words, 4))
    if (draw.chance(0.3)) addOther(words.map(bare))
  }

  // Keywords: words by themselves, the frequent ones more often.
  for (const language of vocabulary.languages) {
    const word = vocabulary.drawer(language, draw)
    const count = language === 'en' ? 300_000 : mostSpoken.has(language) ? 30_000 : 15_000
    for (let i = 0; i < count; i++) {
      const words = Array.from({ length: draw.from1(4) }, word)
      if (language === 'en') english.push(words)
      else others.push(draw.chance(0.3) ? words.map(bare) : words)
    }
  }

  const lines = corpusLines().map(wordsOf)
  for (const words of lines) english.push(words, draw.part(words, 4), draw.part(words, 4))

  // English around a name, and another language around terms of no language.
  const names = vocabulary.names()
  for (let i = 0; i < 300_000; i++) {
    const words = draw.part(draw.of(lines), 5)
    const own = words.filter(word => vocabulary.isEnglishAlone(word)).length
    if (own > 0) english.push(draw.mixed(words, names, own > 1 ? 2 : 1))
  }
  const terms = vocabulary.terms(lines)
  const plain = others.length
  for (let i = 0; i < 150_000; i++) {
    const words = others[draw.below(plain)] ?? []
    addOther(draw.mixed(words.slice(0, 5), terms, Math.min(3, words.length)))
  }

  for (const words of ownTexts()) english.push(words)
  for (const language of languages().filter(name => name !== 'zh'))
    for (const words of ownTexts(language)) for (let i = 0; i < 3; i++) addOther(words)

  const all = [
    ...english.map(words => ({ words, english: true })),
    ...others.map(words => ({ words, english: false })),
  ].filter(({ words }) => words.length > 0)
  draw.shuffle(all)
  return all
}

/** The part of our own families that may be learnt from. */
const ownTexts = (language?: string): (readonly string[])[] =>
  [...new Set(familyPairs('train', language).flatMap(({ one, other }) => [one, other]))].map(wordsOf)
