import { CHINESE, ENGLISH, FRENCH, GERMAN, OTHERS, SPANISH } from './function-words.ts'
import type { Token } from './token.ts'

/** ISO 639-1, or `other` for a language that is known only not to be one of these. */
export type Language = 'en' | 'de' | 'fr' | 'es' | 'zh' | 'other'

/** Each function word with its language. A word that English has too says nothing of another. */
const LANGUAGES: ReadonlyMap<string, Language> = new Map(
  (
    [
      ['other', OTHERS],
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

/** The language of most function words; `en` where there are none, because keywords have no grammar. */
export function languageOf(text: string, tokens: readonly Token[]): Language {
  const foreign = ASCII.test(text) ? undefined : scriptOf(text)
  if (foreign !== undefined) return foreign
  let english = 0
  const others = new Map<Language, number>()
  for (const { kind, text } of tokens) {
    if (kind !== 'word') continue
    const language = LANGUAGES.get(text)
    if (language === 'en') english++
    else if (language !== undefined) others.set(language, (others.get(language) ?? 0) + 1)
  }
  let [best, most, sum]: [Language, number, number] = ['en', 0, 0]
  for (const [language, count] of others) {
    sum += count
    if (count > most) [best, most] = [language, count]
  }
  return english > sum ? 'en' : best
}

/** What the script alone says: `undefined` for Latin letters. */
function scriptOf(text: string): Language | undefined {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const plain = text.match(/[A-Za-z]/g)?.length ?? 0
  if (letters - plain <= letters * ACCENTED) return undefined
  return CHINESE.test(text) ? 'zh' : 'other'
}
