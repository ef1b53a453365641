import { closing } from './given-text.ts'
import { nameOf } from './names.ts'
import type { Token, TokenKind } from './token.ts'
import { wordSet } from './word-set.ts'

const QUOTED = String.raw`\x60[^\x60\n]{1,400}\x60|"[^"\n]{1,400}"|(?<![\p{L}\p{N}])'(?:[^'\n]|(?<=\p{L})'(?=\p{L})){1,400}'(?![\p{L}\p{N}])`
const ADDRESS = String.raw`https?:\/\/[^\s<>"')]+[^\s<>"').,;:!?]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+`
const PATH = String.raw`(?<![\w./])(?:~|\.{1,2})?\/[\w.*$@{}-]+(?:\/[\w.*$@{}-]*)*(?<![.])|(?<!\w)[A-Za-z]:\\[^\s"']+|[\w$.-]+(?:\/[\w.*$-]+)*\/[\w*$-]*\.[A-Za-z]\w*|\w[\w.-]*(?:\/[\w.*-]+){2,}(?<![.])`
const FLAG = String.raw`(?<=^|[\s(])--?[A-Za-z][\w-]*`
const GLOB = String.raw`[A-Za-z][\w.-]*\*+\.[A-Za-z]\w*|\*[\w.*-]*\w|(?<![\w.])\.[A-Za-z]\w*(?:\.\w+)*`
const VARIABLE = String.raw`\$\{?[A-Za-z_]\w*\}?|%[A-Z_]{2,}%`
const MONEY = String.raw`[$€£₹¥]\s?\d[\d,]*(?:\.\d+)?[kmb]?\b`
const VERSION = String.raw`\bv\d+(?:\.\d+)*\b|\b\d+(?:\.\d+){2,}\b|\b\d+(?:\.\d+)*\.x\b`
const TIME = String.raw`\b\d{1,2}:\d{2}(?::\d{2})?\b|\b\d{1,4}[-/]\d{1,2}[-/]\d{1,4}\b`
const NUMBER = String.raw`\b\d+(?:,\d+)*(?:\.\d+)?(?:%|[\p{L}]+\b)?(?![\w])|(?<![\w.])\.\d+(?![\w.])`
/** `1e5`, `0x1F`, `3d4f`: what begins with a digit and is no amount. */
const DIGITS = String.raw`\b\d[\p{L}\p{N}_]*(?:\.\d[\p{L}\p{N}_]*)*`
const ESCAPE = String.raw`\\[A-Za-z]+`
const CALL = String.raw`[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*\(\)`
const SNAKE = String.raw`[A-Za-z_$]*_[\w$]+|[A-Za-z]\w*::[\w:]+`
const SHARP = String.raw`\b[cC]\+\+|\b[cCfF]#|\.NET\b`
const DOTTED = String.raw`\b[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)+`
const MIXED = String.raw`\b[a-z]+[A-Z]\w*|\b[\p{L}]+-?\d[\w]*`
const WORD = String.raw`\p{L}[\p{L}\p{M}]*(?:'[\p{L}]+)?`
/** A sign before a number, a factorial, and the brackets that say what is reckoned first. */
const RECKONED = String.raw`(?<=^|[\s(=*\/^<>,])-(?=[\d.])|(?<=\d|(?<!\p{L})\p{L})!(?!=)|\((?=\s*-?[\w.]+\s*[-+*\/^])|(?<=[-+*\/^]\s*[\w.]+\s*)\)`
/** `what does ; do`, `the ?: operator`: punctuation that stands where a thing would. */
const ASKED_SIGN = String.raw`(?<=\b(?:do|does|is|the|a|an|use|using|between|with|and|or|by|operator|character|symbol|sign)\s+)[!-\/:-@[-\x60{-~]{1,3}(?=\s+[\p{L}!-\/:-@[-\x60{-~])`
/** Nothing that says something is ever left in a gap: powers, roots, arrows, currencies, flags. */
const OTHER = String.raw`\p{Extended_Pictographic}[\p{M}\p{Emoji_Modifier}\u200d]*|(?!\x60)[\p{S}\p{N}\p{M}]|[§¶†‡‰′″]`
const SYMBOL = String.raw`${RECKONED}|${ASKED_SIGN}|!==?|===?|<=|>=|=>|->|&&|\|\||\+\+|--|[+*=<>^%&|@#~\\]|(?<=\d\s?)[-–—/](?=\s?[-(]{0,2}\d)|(?<=\d):(?=\d)|(?<=(?<!\p{L})\p{L})[-/](?=\p{L}(?!\p{L}))|${OTHER}`

const SCAN = new RegExp(
  [
    `(?<quoted>${QUOTED})`,
    `(?<sharp>${SHARP})`,
    `(?<code>${[ADDRESS, PATH, FLAG, GLOB, VARIABLE, VERSION, CALL, SNAKE, ESCAPE].join('|')})`,
    `(?<number>${[MONEY, TIME, NUMBER].join('|')})`,
    `(?<digits>${DIGITS})`,
    `(?<dotted>${DOTTED})`,
    `(?<mixed>${MIXED})`,
    `(?<word>${WORD})`,
    `(?<symbol>${SYMBOL})`,
  ].join('|'),
  'gu',
)

/** Names that are written like code but are plain names. */
const NAMES =
  /^(?:(?:node|vue|next|nuxt|react|express|three|d3|ember|backbone|angular|deno|socket|asp|bun)\.(?:js|io|net)|e\.g|i\.e|a\.m|p\.m|u\.s|u\.k|ph\.d|i(?:phone|pad|os|mac|cloud|tunes|pod)s?|e(?:bay|mail|book|commerce|sim)s?|mac(?:os|book)|x(?:box|code)|web(?:pack|rtc|assembly|socket|gl)s?)$/iu

/** Short forms that the general rules for `n't`, `'re` and the like do not make, or that are written without their mark. */
const SHORT = new Map<string, readonly string[]>(
  (
    "can't=can not,cannot=can not,cant=can not,won't=will not,wont=will not,shan't=shall not,ain't=is not,dont=do not,doesnt=does not," +
    'didnt=did not,isnt=is not,arent=are not,wasnt=was not,havent=have not,hasnt=has not,shouldnt=should not,couldnt=could not,' +
    "wouldnt=would not,let's=let us,i'm=i am,im=i am,ive=i have,whats=what is,hows=how is,wheres=where is,whos=who is,wanna=want to,gonna=going to"
  )
    .split(',')
    .map(row => {
      const [short = '', full = ''] = row.split('=')
      return [short, full.split(' ')] as const
    }),
)
const TAILS = new Map(Object.entries({ re: 'are', ve: 'have', ll: 'will', d: 'would', m: 'am' }))
/** After these, `'s` is `is`; after any other word it is a possessive. */
const BEFORE_IS = wordSet('what who where when how why that it there here he she this which')

const ASCII = /^[\0-\x7f]*$/
/** Forms of one letter or space: wide, narrow, joined. Powers, fractions and letters of mathematics are no such forms. */
const FORMS = /[\u00a0\u2000-\u200a\u202f\u205f\u3000\ufb00-\ufb06\uff01-\uff9f\uffe0-\uffe6]+/g

/** One spelling of quotes, hyphens, widths and spaces; case stays, because it tells names from words. */
export const unify = (text: string): string =>
  ASCII.test(text)
    ? text
    : text
        .replace(FORMS, forms => forms.normalize('NFKC'))
        .normalize('NFC')
        .replace(/[\u2018\u2019\u201b\u02bc\u00b4]/g, "'")
        .replace(/[\u201c\u201d\u201e\u00ab\u00bb]/g, '"')
        .replace(/[\u2010\u2011\u2212]/g, '-')
        .replace(/[\u200b\u2060\ufeff\u00ad]/g, '')

/** A prompt as tokens. Linear in its length; meant for prompts of a few thousand characters at most. */
export function tokensOf(prompt: string): readonly Token[] {
  const text = unify(prompt)
  const tokens: Token[] = []
  let end = 0
  for (let at = 0; at < text.length; ) {
    if (isSpace(text, at)) {
      at++
      continue
    }
    const behind = at === 0 || isSpace(text, at - 1) ? behindPlain(text, at) : at
    if (behind > at) {
      addWord(tokens, text.slice(at, behind), text.slice(end, at))
      end = behind
      at = behind
      continue
    }
    SCAN.lastIndex = at
    const match = SCAN.exec(text)
    if (!match) break
    const { length } = tokens
    add(tokens, match, text.slice(end, match.index))
    at = match.index + match[0].length
    if (tokens.length > length) end = at
  }
  addClosing(tokens, text.slice(end))
  return tokens
}

/** `Translate: you are coming?`: the end of a text that is worked on belongs to it. */
function addClosing(tokens: Token[], tail: string): void {
  const marks = closing(tail, tokens)
  if (marks !== '') tokens.push(token('symbol', marks, marks, tail.slice(0, tail.indexOf(marks))))
}

const SPACE = /\s/

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code < 128 ? code === 32 || (code >= 9 && code <= 13) : SPACE.test(text.charAt(at))
}

const isSmall = (code: number): boolean => code >= 97 && code <= 122
const isCapital = (code: number): boolean => code >= 65 && code <= 90
/** What ends a word and belongs to no token. */
const STOPS = ',.;:!?'

/**
 * Where the word ends that begins at `at` and is nothing but a word, `/[A-Z]*[a-z]*(?=[,.;:!?]*(?:\s|$))/`; `at` for
 * everything else. Most of a prompt is such words, and they are seen faster by hand. `n!` is a factorial.
 */
function behindPlain(text: string, at: number): number {
  let end = at
  while (isCapital(text.charCodeAt(end))) end++
  while (isSmall(text.charCodeAt(end))) end++
  let next = end
  while (next < text.length && STOPS.includes(text.charAt(next))) next++
  const alone = next === text.length || isSpace(text, next)
  return alone && (end - at > 1 || text.charAt(end) !== '!') ? end : at
}

function add(tokens: Token[], { 0: raw, groups = {} }: RegExpExecArray, gap: string): void {
  if (groups.word !== undefined) addWord(tokens, raw, gap)
  else if (groups.number !== undefined) tokens.push(token('number', raw.toLowerCase(), raw, gap))
  else if (groups.quoted !== undefined) tokens.push(token('quoted', raw.slice(1, -1).trim().toLowerCase(), raw, gap))
  else if (groups.sharp !== undefined) tokens.push(token('word', raw.toLowerCase(), raw, gap))
  else if (groups.dotted !== undefined) addDotted(tokens, raw, gap)
  else if (groups.mixed !== undefined) {
    const lower = raw.toLowerCase()
    const kind = NAMES.test(raw) || nameOf(lower) ? 'word' : 'code'
    tokens.push(token(kind, lower.replace(/^([a-z])-(?=\d)/, '$1'), raw, gap))
  } else if (raw === '!' && gap === '' && !isFactorial(tokens)) return
  else if (raw === '&') tokens.push(token('word', 'and', raw, gap))
  else if (groups.symbol !== undefined) tokens.push(token('symbol', /[–—]/.test(raw) ? '-' : raw, raw, gap))
  else tokens.push(token('code', CASED.test(raw) ? raw : raw.toLowerCase(), raw, gap))
}

/** `100!` and `n!`, and neither `Python 2!` nor `$5!` nor `2014!` nor `vitamin c!`. */
function isFactorial(tokens: readonly Token[]): boolean {
  const [name, last] = [tokens.at(-2), tokens.at(-1)]
  if (last?.kind !== 'symbol' && !/^(?:\d{1,3}|[kmnx])$/.test(last?.text ?? '')) return false
  return name?.kind !== 'word' || nameOf(name.text) === undefined
}

/** Flags, variables and escapes: nobody writes these as they like. */
const CASED = /^(?:--?|[$\\%])/

const token = (kind: TokenKind, text: string, raw: string, gap: string): Token => ({ kind, text, raw, gap })

function addWord(tokens: Token[], raw: string, gap: string): void {
  const lower = raw.toLowerCase()
  const cut = lower.indexOf("'")
  const short = SHORT.get(lower) ?? (cut < 0 ? undefined : longForm(lower.slice(0, cut), lower.slice(cut + 1)))
  if (short) for (const [i, part] of short.entries()) tokens.push(token('word', part, i ? '' : raw, i ? '' : gap))
  else if (cut < 0) tokens.push(token('word', lower, raw, gap))
  else {
    tokens.push(token('word', lower.slice(0, cut), raw.slice(0, cut), gap))
    if (lower.endsWith("'s")) tokens.push(token('word', "'s", raw.slice(cut), ''))
    else tokens.push(token('word', lower.slice(cut + 1), raw.slice(cut + 1), "'"))
  }
}

/** Of a short form that a general rule makes. */
function longForm(head: string, tail: string): readonly string[] | undefined {
  if (tail === 't' && head.endsWith('n')) return [head.slice(0, -1), 'not']
  const part = tail === 's' && BEFORE_IS.has(head) ? 'is' : TAILS.get(tail)
  return part === undefined ? undefined : [head, part]
}

/** `Node.js` is a name, `go.mod` a file, `end.Then` the end of a sentence. */
function addDotted(tokens: Token[], raw: string, gap: string): void {
  if (NAMES.test(raw)) tokens.push(token('word', raw.toLowerCase().replaceAll('.', ''), raw, gap))
  else if (/^[a-z]+\.[A-Z][a-z]+$/.test(raw)) {
    const [before = '', after = ''] = raw.split('.')
    addWord(tokens, before, gap)
    addWord(tokens, after, '.')
  } else tokens.push(token('code', raw.toLowerCase(), raw, gap))
}
