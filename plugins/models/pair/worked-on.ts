import { languageOf } from './language.ts'
import { tokensOf } from './tokens.ts'

/** Nobody reads longer ones here: they take longer than a hit saves. */
const LONGEST = 32 << 10
/** Characters that tell the language. */
const SAMPLE = 600

/** Work on a text, whoever is said to do it: `translate`, `a translator`, `translations`. */
const WORK =
  /\b(?:translat|transcri[bp]|transliterat|paraphras|rephras|reword|rewrit|proofread|punctuat|summar[iy]|condens|shorten|simplif|classif|categori[sz]|tokeni[sz]|encod|decod|encrypt|decrypt|extract|convert|counts?\b|counting|detect|identif|spelling|grammar|sentiment|moderat|annotat|uppercas|lowercas|morse|repeat|echo|interpreter)/i
/** Verbs that are work only as an order: `correct what I write`, but `the correct answer`. */
const ORDER =
  /(?:^|[.!?:;,\n(-]\s*|\b(?:and|or|then|please|you|must|should|will|to|only|just|always)\s+)(?:correct|fix|edit|polish|improve|score|grade|rate|rank|label|tag|format|reverse|check|judge|complete|continue)\s+(?!(?:answers?|replies|responses?|code|output|information|facts|numbers?|solutions?|as|in|with|your)\b)/i
/** A text that is spoken of. Whoever shall reply to a message works on none. */
const TEXT =
  /(?<!\b(?:reply|respond|answer|react)(?:ing)?(?: to)? )\b(?:the|each|every|this|these|all|any|my)\s+(?:(?:users?(?:'s|’s)?|incoming|next|given|following|input|customer(?:'s|’s)?)\s+)*(?:messages?|texts?|sentences?|inputs?|phrases?|words?|letters?|characters?|paragraphs?|utterances?|passages?|statements?|snippets?)\b(?! (?:answer|reply|replies|response|limit|or less|or two))/i
/** Something is announced, or judged: `I will send you …`, `you will be given a …`, `say whether it …`, `Is it rude?`. */
const ANNOUNCED =
  /\b(?:I|users?|they|customers?)(?:'ll| will| am going to| shall|'m going to)? (?:give|send|paste|provide|type|write|say|dictate)s?\b|\bwhat(?:ever)? (?:I|the user|users?) (?:say|write|type|send|paste)s?\b|\bgiven an?\b|\bnumber of (?:words|characters|letters|syllables|sentences|vowels)\b|\bwhether (?:it|this|that|they|the|he|she)\b|(?:^|[.!?:\n]\s*)(?:is|are|does|was) (?:it|this|that|they)\b|\b(?:duplicates?|mistakes|typos)\b/i

/**
 * Do these words, of a system prompt or an earlier turn, say that what follows is a text to be worked on? Then each of
 * its words counts: `count the words of the message` has another answer for a question and for the same one in other words.
 * What cannot be read here (another language, a long text) may say so, too.
 */
export function isWorkedOn(before: string): boolean {
  if (before.trim() === '') return false
  if (before.length > LONGEST) return true
  if (WORK.test(before) || ORDER.test(before) || TEXT.test(before) || ANNOUNCED.test(before)) return true
  const sample = before.slice(0, SAMPLE)
  return languageOf(sample, tokensOf(sample)) !== 'en'
}
