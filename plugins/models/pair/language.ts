import { soundsEnglish } from './english.ts'
import { CHINESE, ENGLISH, FRENCH, GERMAN, SPANISH } from './function-words.ts'
import { lettersOf } from './grams.ts'
import type { Token } from './token.ts'

/** ISO 639-1, or `other` for a language that is known only not to be one of these. */
export type Language = 'en' | 'de' | 'fr' | 'es' | 'zh' | 'other'

/** Each function word with its language. A word that English has too says nothing of another. */
const LANGUAGES: ReadonlyMap<string, Language> = new Map(
  (
    [
      ['es', SPANISH],
      ['fr', FRENCH],
      ['de', GERMAN],
      ['en', ENGLISH],
    ] as const
  ).flatMap(([language, words]) => [...words].map(word => [word, language] as const)),
)

const ASCII = /^[\0-\x7f]*$/
/** Most letters of a prompt in one of our languages are Latin ones, with an accent here and there. */
const ACCENTED = 0.25

/**
 * Below this the words are of another language, whatever the function words say; below the second, where those say so.
 * Chosen so that of the English texts that `npm run model:language:measure` reads less than 0.3 % are lost.
 */
const [FOREIGN, DOUBTFUL] = [0, 3]
/** No other language writes these, and the texts that the model learnt from hardly have them. */
const CONTRACTED = /n't$|^i'm$|'(?:re|ve|ll)$/

/** Whether its letters are English, by a learnt model; if not, the language of most function words. */
export function languageOf(text: string, tokens: readonly Token[]): Language {
  const script = ASCII.test(text) ? undefined : scriptOf(text)
  if (script !== undefined) return script
  const words = lettersOf(tokens)
  const likeness = words.some(word => CONTRACTED.test(word)) ? DOUBTFUL : soundsEnglish(words)
  if (likeness >= DOUBTFUL) return 'en'
  const { english, others, most } = functionWords(words)
  if (likeness >= FOREIGN && (english > others || others === 0)) return 'en'
  return most
}

interface FunctionWords {
  readonly english: number
  /** Those of all other languages. */
  readonly others: number
  /** Of the other languages the one with most; `other` where there is none. */
  readonly most: Language
}

function functionWords(words: readonly string[]): FunctionWords {
  let english = 0
  let others = 0
  let most: Language = 'other'
  const counts = new Map<Language, number>()
  for (const word of words) {
    const language = LANGUAGES.get(word)
    if (language === 'en') english++
    if (language === undefined || language === 'en') continue
    const count = (counts.get(language) ?? 0) + 1
    others++
    if (count > (counts.get(most) ?? 0)) most = language
    counts.set(language, count)
  }
  return { english, others, most }
}

/** What the script alone says: `undefined` for Latin letters. */
function scriptOf(text: string): Language | undefined {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const plain = text.match(/[A-Za-z]/g)?.length ?? 0
  if (letters - plain <= letters * ACCENTED) return undefined
  return CHINESE.test(text) ? 'zh' : 'other'
}
