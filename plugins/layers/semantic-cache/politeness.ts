import { asksForWork, givenTextStart } from './given-text.ts'
import { isLetterOf, isNumbered } from './letters.ts'
import type { Token } from './token.ts'

const ARTICLES = new Set(['a', 'an', 'the'])
const PLEAS = new Set(['please', 'kindly', 'pls', 'plz'])
const FILLERS = new Set([...ARTICLES, ...PLEAS])

const GREETING = new Set('hi hello hey hiya howdy greetings yo'.split(' '))
const GREETED = new Set('there everyone everybody all team guys folks friends'.split(' '))
const NOT_AFTER_GREETING = new Set('world in mean vs versus and or kitty to from word fresh'.split(' '))
const IS = new Set(['is', 'are', 'was', 'were'])
const THANKS = new Set(['thanks', 'cheers', 'thx', 'ty', 'thankyou', 'tia'])
/** `how do you say thank you`: there the words are what is asked about. */
const NOT_BEFORE_THANKS = new Set(
  'say saying says mean means meaning word phrase of for than to a the your my give with and write no reply'.split(' '),
)
const SPOKEN_OF = new Set('say saying says word words phrase term translate pronounce spell'.split(' '))
/** What may follow `thanks` or `thank you`. */
const AFTER_THANKS = new Set(
  'so much a lot very in advance ton bunch million again everyone all guys you for your the help time support assistance'.split(
    ' ',
  ),
)
/** Whole sentences at the end that say nothing but thanks. */
const GRATEFUL = new Set([
  'i appreciate it',
  'i appreciate your help',
  'i would appreciate it',
  'much appreciated',
  'appreciate it',
  'appreciated',
  'any help is appreciated',
  'any help would be appreciated',
  'have a nice day',
  'have a good day',
  'have a great day',
  'best regards',
  'kind regards',
  'regards',
])
/** Every word that thanks or a plea at the end can end with. */
const LAST_OF_THANKS = new Set([
  ...PLEAS,
  ...THANKS,
  ...AFTER_THANKS,
  ...['help', 'me'],
  ...[...GRATEFUL].map(said => said.slice(said.lastIndexOf(' ') + 1)),
])
const PAUSE = /[.,!?;:\n–—-]/
/** Most gaps are one space. */
const isPause = (gap: string | undefined): boolean => gap !== undefined && gap !== ' ' && PAUSE.test(gap)

/** Greetings and pleas off the front, thanks off the back, `please` and articles from everywhere. */
export function withoutPoliteness(tokens: readonly Token[]): readonly Token[] {
  const [from, to] = betweenPoliteness(tokens)
  const kept = tokens.slice(from, to)
  const loud = loudness(kept)
  return kept.filter((_, i) => !isFiller(kept, i, loud))
}

/** Where the greetings at the front end and the thanks at the back begin. */
export function betweenPoliteness(tokens: readonly Token[]): readonly [from: number, to: number] {
  let from = 0
  let to = tokens.length
  for (;;) {
    const skip = politenessAt(tokens, from)
    if (skip === 0 || to - from - skip < 2) break
    if (NOT_AFTER_GREETING.has(wordAt(tokens, from + skip)) && !isPause(tokens[from + skip]?.gap)) break
    from += skip
  }
  // What ends a text to work on is part of it.
  if (givenTextStart(tokens) < to) return [from, to]
  const pictures = asksForWork(tokens.slice(from))
  for (;;) {
    const cut = (pictures ? 0 : smiles(tokens, from, to)) || thanks(tokens, from, to)
    if (cut === 0 || to - from - cut < 1) break
    to -= cut
  }
  return [from, to]
}

/** The word at `i`; nothing where something else stands. */
function wordAt(tokens: readonly Token[], i: number): string {
  const one = tokens[i]
  return one?.kind === 'word' ? one.text : ''
}

function isFiller(tokens: readonly Token[], i: number, loud: () => boolean): boolean {
  const { kind, text = '', raw } = tokens[i] ?? {}
  if (kind !== 'word' || !FILLERS.has(text)) return false
  if (PLEAS.has(text)) return !SPOKEN_OF.has(tokens[i - 1]?.text ?? '')
  return text !== 'a' || !isLetter(tokens, i, raw === 'A' && i > 0 && !loud())
}

const NOT_AFTER_ARTICLE = new Set('and or to into from in of is vs versus with than on at by'.split(' '))

/** `table A`, `from a to b`, `a++`: no article. A capital alone says so only where others are small. */
function isLetter(tokens: readonly Token[], i: number, capital: boolean): boolean {
  const [before, after] = [tokens[i - 1], tokens[i + 1]]
  if (capital || after === undefined || NOT_AFTER_ARTICLE.has(after.text)) return true
  if (before?.kind === 'symbol' || after.kind === 'symbol') return true
  return isNumbered(tokens, i) || isLetterOf(tokens, i)
}

/** MOST WORDS, or The Words Of A Title, have a capital. */
function isLoud(tokens: readonly Token[]): boolean {
  if (!tokens.some(({ raw }) => /\p{Ll}/u.test(raw))) return true
  const spoken = tokens.filter(({ kind, raw }) => kind === 'word' && raw.length > 1)
  const capital = spoken.filter(({ raw }) => /^\p{Lu}/u.test(raw)).length
  return capital > 1 && capital / spoken.length > 0.7
}

/** `isLoud` for those who ask seldom, and then often: it goes through all words. */
export function loudness(tokens: readonly Token[]): () => boolean {
  let known: boolean | undefined
  return () => (known ??= isLoud(tokens))
}

/** How many tokens at `at` only greet or beg. */
function politenessAt(tokens: readonly Token[], at: number): number {
  const [a, b, c, d] = [wordAt(tokens, at), wordAt(tokens, at + 1), wordAt(tokens, at + 2), wordAt(tokens, at + 3)]
  if (GREETING.has(a)) return 1 + greeted(tokens, at + 1)
  if (a === 'good' && (b === 'morning' || b === 'afternoon' || b === 'evening' || b === 'day'))
    return 2 + greeted(tokens, at + 2)
  if (a === 'dear' && GREETED.has(b)) return 2
  if (PLEAS.has(a)) return 1
  if (a === 'excuse' && b === 'me') return 2
  if (a === 'quick' && b === 'question') return 2
  if (a === 'i' && b === 'have' && c === 'a' && d === 'question') return isPause(tokens[at + 4]?.gap) ? 4 : 0
  return 0
}

/** `hi there, is it …` greets somebody; `hi there is a hole …` does not. */
function greeted(tokens: readonly Token[], at: number): number {
  if (!GREETED.has(wordAt(tokens, at))) return 0
  return IS.has(wordAt(tokens, at + 1)) && !isPause(tokens[at + 1]?.gap) ? 0 : 1
}

const PICTURE = /\p{Extended_Pictographic}/u
const OF_PICTURES = new Set('emoji emojis emoticon emoticons smiley'.split(' '))
const LEADS_TO_THING = new Set('of is are a an the this that with for mean means does'.split(' '))

/** A picture behind the question, unless it is what is asked about. */
function smiles(tokens: readonly Token[], from: number, to: number): number {
  const last = tokens[to - 1]
  if (last?.kind !== 'symbol' || !PICTURE.test(last.text) || last.gap.includes(':')) return 0
  for (let i = from; i < to; i++) if (OF_PICTURES.has(wordAt(tokens, i))) return 0
  return LEADS_TO_THING.has(wordAt(tokens, to - 2)) && !isPause(last.gap) ? 0 : 1
}

function thanks(tokens: readonly Token[], from: number, to: number): number {
  const last = wordAt(tokens, to - 1)
  if (!LAST_OF_THANKS.has(last)) return 0
  if (PLEAS.has(last)) return SPOKEN_OF.has(wordAt(tokens, to - 2)) ? 0 : 1
  for (let at = to - 1; at > from && at >= to - 6; at--)
    if (isPause(tokens[at]?.gap))
      if (GRATEFUL.has(Array.from({ length: to - at }, (_, i) => wordAt(tokens, at + i)).join(' '))) return to - at
  let at = to - 1
  while (at > from && AFTER_THANKS.has(wordAt(tokens, at))) at--
  const many = wordAt(tokens, at - 1) === 'many' ? 1 : 0
  const isThanks =
    THANKS.has(wordAt(tokens, at)) || (wordAt(tokens, at) === 'thank' && wordAt(tokens, at + 1) === 'you')
  const apart = isPause(tokens[at - many]?.gap)
  if (isThanks && at - many > from && (apart || !NOT_BEFORE_THANKS.has(wordAt(tokens, at - many - 1))))
    return to - at + many
  const help = last === 'help' ? 1 : last === 'me' && wordAt(tokens, to - 2) === 'help' ? 2 : 0
  if (help === 0) return 0
  if (wordAt(tokens, to - help - 1) === 'please') return help + 1
  return isPause(tokens[to - help]?.gap) ? help : 0
}
