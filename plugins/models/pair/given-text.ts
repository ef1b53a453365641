import { asksAboutText } from './asked-text.ts'
import { ENGLISH, PLEAS } from './function-words.ts'
import type { Token } from './token.ts'
import { wordSet } from './word-set.ts'

const WORK = wordSet(
  'translate rewrite rephrase paraphrase reword fix correct proofread punctuate edit polish shorten simplify summarize summarise ' +
    'improve transcribe transliterate repeat spell pronounce classify ' +
    'übersetze übersetz übersetzen korrigiere korrigier korrigieren verbessere verbessern vereinfache formuliere wiederhole ' +
    'traduis traduisez traduire corrige corrigez corriger reformule reformulez simplifie traduce traduzca traducir corregir reformula simplifica',
)
/** Words that speak of words. */
const SPOKEN = wordSet(
  'say says said saying word words phrase phrases sentence sentences term letter letters syllable syllables mean means meaning meanings ' +
    'spell spelled spelling pronounce translate translation grammar proofread rewrite rephrase contraction contractions define definition ' +
    'synonym synonyms abbreviation acronym',
)
/** Words that refer to a text which may follow. */
const POINTS = wordSet('this these following text paragraph message email tone sentiment')
const ASKS_WHETHER = wordSet('is are was were do does did has have had can could will would should which')
const ASKS_IN = wordSet('if whether how')
export const speaksOfWords = (word: string): boolean => SPOKEN.has(word)
const LEADS = new Set(['tell me', 'me know', 'quick question'])
/** Last words of thanks and pleas. */
const POLITE_ENDINGS = new Set([...PLEAS, ...'thanks thank you thx cheers advance much lot'.split(' ')])
/** The verb of a request for work is among this many first words. */
const FIRST = 5

/**
 * Index of the first token of a text that the prompt gives to work on; `tokens.length` when there is none. A given text
 * begins after a colon, an unclosed quotation mark or an empty line, and after a line's end where work is asked for. One word
 * before a colon is a topic (`git: undo a commit`), unless it asks for work or is Chinese, which has no spaces. A question
 * about how a text is put hands over what follows: `Is this rude? Could you move`.
 */
export function givenTextStart(tokens: readonly Token[]): number {
  let asked = false
  let sentence = 0
  for (const [i, { kind, text, gap }] of tokens.entries()) {
    if (
      i > 0 &&
      gap !== ' ' &&
      gap !== '' &&
      opens(gap, asked) &&
      !isTelling(tokens, i) &&
      (asked || i > 1 || HAN.test(tokens[0]?.text ?? ''))
    )
      return i
    if (i > 0 && gap !== ' ' && /[.?!,;\n]/.test(gap)) {
      const before = tokens.slice(sentence, i)
      if (isAsked(before, gap) && !isThanks(tokens.slice(i)) && asksAboutText(before)) return i
      // `Hi, is this rude`.
      if (!gap.includes(',') || i === 1) sentence = i
    }
    if (kind === 'word' && (WORK.has(text) || SPOKEN.has(text) || POINTS.has(text))) asked = true
  }
  return tokens.length
}

/** `is this rude?`, `tell me if this is rude.`, `is this rude,` */
const isAsked = (sentence: readonly Token[], gap: string): boolean =>
  gap.includes('?') ||
  (gap.includes('.') && sentence.some(({ text }) => ASKS_IN.has(text))) ||
  (gap.includes(',') && ASKS_WHETHER.has(sentence[0]?.text ?? ''))

/** `is this correct? thanks a lot` hands over no text. */
const isThanks = (rest: readonly Token[]): boolean =>
  rest.every(({ text }, i) => POLITE_ENDINGS.has(text) || (i > 0 && ENGLISH.has(text)))

const HAN = /\p{Script=Han}/u

const opens = (gap: string, asked: boolean): boolean =>
  /:(?!-?[)(])|"|\n\s*\n/.test(gap) || (asked && gap.includes('\n'))

/** `tell me: what …`, `please let me know: how …`, `quick question: what …`. */
const isTelling = (tokens: readonly Token[], at: number): boolean => {
  const [before, last] = [tokens[at - 2]?.text, tokens[at - 1]?.text]
  return LEADS.has(`${before} ${last}`)
}

/** `translate you are coming`: the verb comes first, and what follows may be the text. */
function beginsWithWork(tokens: readonly Token[]): boolean {
  const first = tokens.find(({ kind, text }) => kind !== 'word' || !PLEAS.has(text))
  return first?.kind === 'word' && WORK.has(first.text)
}

/** `can you translate …` too. */
export const asksForWork = (tokens: readonly Token[]): boolean =>
  tokens.slice(0, FIRST).some(({ kind, text }) => kind === 'word' && WORK.has(text))

/** The characters after the last token that belong to the given text. */
export function closing(tail: string, tokens: readonly Token[]): string {
  const marks = tail.trim()
  if (marks === '') return ''
  // A quotation has its own end.
  const quoted = marks === '.' && tokens.at(-1)?.kind === 'quoted'
  if (givenTextStart(tokens) < tokens.length) return quoted ? '' : marks
  if (!/[?!…]/.test(marks) || POLITE_ENDINGS.has(tokens.at(-1)?.text ?? '')) return ''
  return beginsWithWork(tokens) ? marks : ''
}
