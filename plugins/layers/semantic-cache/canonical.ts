import { hash } from 'node:crypto'
import { withoutManners } from './manners.ts'
import { type Token, tokensOf, unify } from './tokens.ts'
import { FUNCTION_WORDS, looksEnglish } from './words/function-words.ts'
import { spellingOf } from './words/spellings.ts'
import { singular } from './words/stem.ts'

/**
 * One key for what differs only in manners: Unicode, case, spaces, end punctuation, politeness, contractions, question
 * frames, number words and the plural of plain words. Never an identifier, path, flag, version or quotation.
 */
export const canonicalKey = (text: string, tokens: readonly Token[] = tokensOf(text)): string =>
  hash('sha256', canonicalText(text, tokens), 'base64url')

/** The text behind the key, for tests and for eyes. */
export function canonicalText(text: string, tokens: readonly Token[] = tokensOf(text)): string {
  const kept = withoutManners(tokens)
  if (!isEnglish(text, kept)) return plain(text)
  const cased = kept.some(one => one.kind === 'word' && CASE_MATTERS.has(one.text))
  const spoken = framed(kept.map(one => spelling(one, cased)))
  return spoken === '' ? plain(text) : `en:${spoken}`
}

/** Do the rules here know the language of this text? Manners say nothing about it: `kept` is what is left without. */
export const isEnglish = (text: string, kept: readonly Token[]): boolean =>
  looksEnglish(
    text,
    kept.flatMap(one => (one.kind === 'word' ? [one.text] : [])),
  )

/** Rules of English would be guesses here: only case, spaces and the last punctuation go. */
const plain = (text: string): string =>
  `as-is:${unify(text)
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/\s*[.?!。？！…]+$/u, '')}`

/** Who speaks of these works on the very letters of what is quoted. */
const CASE_MATTERS = new Set(
  (
    'uppercase lowercase capital capitals capitalize capitalise capitalized capitalised capitalization capitalisation camel snake ' +
    'kebab pascal case cased casing hash hashed md5 sha sha1 sha256 sha512 bcrypt base64 encode encoded decode decoded encrypt ' +
    'encrypted decrypt decrypted cipher rot13 regex regexp ascii unicode password checksum'
  ).split(' '),
)

/** Code and quotations keep a mark of what they are, so that no plain word can be taken for them. */
function spelling({ kind, text, raw, unit }: Token, cased: boolean): string {
  if (kind === 'quoted') return `'${quotation(raw, cased)}'`.replace(/\s+/gu, ' ')
  if (kind === 'number')
    return unit === undefined || text.endsWith(unit) ? text : `${text}${glued(raw) ? ` ${unit}` : ''}`
  if (kind === 'code') return SHORT_FLAG.test(raw) ? raw : text
  return kind === 'word' ? word(text) : text
}

/** Case tells `-d` from `-D`; elsewhere in code people write it as they like. */
const SHORT_FLAG = /^-[A-Za-z]+$/

const quotation = (raw: string, cased: boolean): string => {
  const inside = raw.slice(1, -1)
  return cased || raw.startsWith('`') ? inside : inside.split(/\s+/).map(lower).join(' ')
}
const lower = (piece: string): string => (SHORT_FLAG.test(piece) ? piece : piece.toLowerCase())

const glued = (raw: string): boolean => /\d\D+$|^[$€£₹¥]/u.test(raw)

const word = (text: string): string => spellingOf(text) ?? singular(text)

const ASKING = '(?:what|where|when|who|whose|whom|why|how|which|whether|if)'
const PERSON = '(?:i|we|you|one|u|someone|somebody|people)'
const ASKED = '(?:you|u|someone|somebody|anyone|anybody)'
/** What people ask an assistant to do, and rarely whether it can. */
const VERBS =
  '(?:explain|describe|tell|show|give|help|write|list|create|provide|generate|summarize|summarise|recommend|suggest|define|teach|find|name|translate|draft|compose|compare|convert|calculate|compute|solve|fix|correct|proofread|rewrite|rephrase|paraphrase|shorten|simplify|outline|sort|print|check|count|replace|analyze|analyse|evaluate|review|clarify|elaborate|demonstrate|illustrate|identify|extract|classify|rank|brainstorm|walk|guide)'
/** `how do you feel` asks how the other one feels. */
const STATES =
  '(?:feel|think|like|love|hate|know|see|work|sleep|live|look|react|respond|cope|learn|remember|decide|rate|describe|define|understand|differ|compare|process|spend)'

/** Frames around a question, each with what is left of it. Tried in order, again until none fits. */
const FRAMES: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^(?:so|and|well|okay|um|actually) (?=${ASKING} )`), ''],
  [
    new RegExp(`^i (?:is|was) (?:just )?(?:wondering|curious) (?:if|whether) (?=${ASKED} (?:can|could|would|might) )`),
    '',
  ],
  [new RegExp(`^i (?:is|was) (?:just )?(?:wondering|curious) (?=${ASKING} )`), ''],
  [new RegExp(`^(?:can|could|would|will) ${ASKED} (?:help me )?(?=${VERBS} |let (?:me|us) know )`), ''],
  [new RegExp(`^${ASKED} (?:can|could|would|might) (?:help me )?(?=${VERBS} )`), ''],
  // Without `you`, who wants to write a book wants advice and no book.
  [new RegExp(`^(?:i|we) (?:want|need|would like|like|would love) you to (?=${VERBS} )`), ''],
  [
    new RegExp(
      `^(?:i|we) (?:want|need|would like|like|would love)(?: to)? (?:know|find out|understand|learn) (?=${ASKING} )`,
    ),
    '',
  ],
  [new RegExp(`^(?:do|would) you (?:happen to )?know (?=${ASKING} )`), ''],
  [
    new RegExp(
      `^(?:please )?(?:tell|show|teach|explain|explain to|let)(?: (?:me|us))?(?: know| understand)? (?=how to |how (?:do|can|could|would|should) ${PERSON} )`,
    ),
    '',
  ],
  [new RegExp(`^(?:tell|let)(?: (?:me|us))(?: know)? (?=${ASKING} )`), ''],
  [
    /\b(is|was|do|did|can|could|will|would|should|has|have|had|must) not (i|you|he|she|it|we|they|this|that|there|my [a-z]+|your [a-z]+) /,
    '$1 $2 not ',
  ],
  [/^help me (?:to )?(?:understand|know|find out) /, 'explain '],
  [new RegExp(`^help me (?:to )?(?=${VERBS} )`), ''],
  // `how do you use my photos` asks what the other one does.
  [
    new RegExp(
      `^how (?:do|can|could|would|might|may) (?!(?:you|u) (?:.* )?(?:my|our|me|us)\\b|(?:you|u) ${STATES}\\b)${PERSON} (?:go about )?`,
    ),
    'how to ',
  ],
  [/^how (?:should|shall|must) (?:i|we|one) /, 'how to '],
  [/^what is (?:best |right |correct |proper |good |recommended )?(?:way|method|procedure) (?:to|of|for) /, 'how to '],
  [/^(?:best|right|correct|proper) way (?:to|of|for) /, 'how to '],
  [/^what step (?:to|is needed to|do i need to take to) /, 'how to '],
  [/^what is (?:the )?step to /, 'how to '],
  [new RegExp(`^is there (?:any |some )?way (?:for me |for ${PERSON} )?to `), 'how to '],
  [/^(?:i|we) (?:want|need|would like) to know how to /, 'how to '],
  [/^how to (?:go about )/, 'how to '],
  [/^what do (.+) mean$/, 'what is $1'],
  [/^what do you mean by /, 'what is '],
  [/^explain (?:to me |me )?what (.+) (?:mean|is)$/, 'what is $1'],
  [/^what (.+) (?:mean|is)$/, 'what is $1'],
  [/^(?:tell me )what (.+) is$/, 'what is $1'],
  [/^explain (?:to me|me) /, 'explain '],
]

function framed(words: readonly string[]): string {
  let text = words.join(' ')
  for (let again = 0; again < 4; again++) {
    const before = text
    for (const [frame, left] of FRAMES) text = text.replace(frame, left)
    if (text === before) break
  }
  return text
}

/** Content words of a token list: what is left without grammar. */
export const contentOf = (tokens: readonly Token[]): readonly Token[] =>
  tokens.filter(one => one.kind !== 'symbol' && (one.kind !== 'word' || !FUNCTION_WORDS.has(one.text)))
