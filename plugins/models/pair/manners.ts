import { asksAboutMannersBefore } from './asked-text.ts'
import { PLEAS } from './function-words.ts'
import { asksForWork, givenTextStart } from './given-text.ts'
import type { Token } from './token.ts'
import { wordSet } from './word-set.ts'

const ARTICLES = new Set(['a', 'an', 'the'])

const GREETING = wordSet('hi hello hey hiya howdy greetings yo')
const GREETED = wordSet('there everyone everybody all team guys folks friends')
/** What may follow a greeting without a comma: `hello dolly cast` greets nobody. */
const REQUESTS = wordSet(
  'what where when who whose whom why how which i we can could would will do does did is are was were should explain describe define ' +
    'summarize summarise list name translate write draft compare convert calculate solve suggest recommend give show tell teach help find ' +
    'generate print sort check fix rewrite count replace',
)
/** So many words of the question are left at least: `the beatles, thanks` may be a title. */
const LEAST = 3
const THANKS = new Set(['thanks', 'cheers', 'thx', 'ty', 'thankyou', 'tia'])
/** `how do you say thank you`: behind these, words of manners are what is asked about. */
const SAYING = wordSet('say saying says word phrase term translate pronounce spell')
const NOT_BEFORE_THANKS = new Set([
  ...SAYING,
  ...'mean means meaning of for than to a the your my give with and write no reply'.split(' '),
  ...'song show movie film album band novel poem titled called named entitled'.split(' '),
])
/** What may follow `thanks` or `thank you`. */
const AFTER_THANKS = wordSet(
  'so much a lot very in advance ton bunch million again everyone all guys you for your the help time support assistance',
)
/** Whole sentences at the end that say nothing but thanks. */
const GRATEFUL = new Set(
  (
    'i appreciate it,i appreciate your help,i would appreciate it,much appreciated,appreciate it,appreciated,any help is appreciated,' +
    'any help would be appreciated,help,help me,please help,please help me,have a nice day,have a good day,have a great day,best regards,kind regards,regards'
  ).split(','),
)
const PAUSE = /[.,!?;:\n–—-]/
/** Most gaps are one space. */
const isPause = (gap: string | undefined): boolean => gap !== undefined && gap !== ' ' && PAUSE.test(gap)

/** Greetings and pleas off the front, thanks off the back, `please` and articles from everywhere. */
export function withoutManners(tokens: readonly Token[], [from, to] = betweenManners(tokens)): readonly Token[] {
  const kept: Token[] = []
  for (let i = from; i < to; i++) {
    const one = tokens[i]
    if (one && !(one.kind === 'word' && (ARTICLES.has(one.text) || PLEAS.has(one.text)))) kept.push(one)
  }
  return kept
}

/** Where the greetings at the front end and the thanks at the back begin. */
export function betweenManners(tokens: readonly Token[]): readonly [from: number, to: number] {
  let from = 0
  let to = tokens.length
  if (asksAboutMannersBefore(tokens)) return [from, to]
  for (;;) {
    const skip = politenessAt(tokens, from)
    if (skip === 0 || to - from - skip < LEAST) break
    from += skip
  }
  // What ends a text to work on is part of it.
  if (givenTextStart(tokens) < to) return [from, to]
  const pictures = asksForWork(tokens.slice(from))
  for (;;) {
    const cut = (pictures ? 0 : smiles(tokens, from, to)) || thanks(tokens, from, to)
    if (cut === 0 || to - from === cut) break
    to -= cut
  }
  return [from, to]
}

/** The word at `i`; nothing where something else stands. */
function wordAt(tokens: readonly Token[], i: number): string {
  const one = tokens[i]
  return one?.kind === 'word' ? one.text : ''
}

/** How many tokens at `at` only greet or beg. */
function politenessAt(tokens: readonly Token[], at: number): number {
  const [a, b, c, d] = [wordAt(tokens, at), wordAt(tokens, at + 1), wordAt(tokens, at + 2), wordAt(tokens, at + 3)]
  if (PLEAS.has(a)) return PLEAS.has(b) ? 0 : 1
  if (a === 'i' && b === 'have' && c === 'a' && d === 'question') return isPause(tokens[at + 4]?.gap) ? 4 : 0
  const isPair =
    (a === 'good' && (b === 'morning' || b === 'afternoon' || b === 'evening' || b === 'day')) ||
    (a === 'excuse' && b === 'me') ||
    (a === 'quick' && b === 'question') ||
    (a === 'dear' && GREETED.has(b))
  const words = isPair ? 2 : GREETING.has(a) ? 1 : 0
  if (words === 0) return 0
  const who = GREETED.has(wordAt(tokens, at + words)) && !isPause(tokens[at + words]?.gap) ? 1 : 0
  return endsGreeting(tokens, at + words + who) ? words + who : 0
}

/** `hello - adele` is a title, and `hi there is a hole …` greets with one word if with any. */
function endsGreeting(tokens: readonly Token[], at: number): boolean {
  const gap = tokens[at]?.gap ?? ''
  if (/\S|\n/.test(gap)) return /^[^\S\n]*[,.!:\n]/.test(gap)
  const isThere = wordAt(tokens, at - 1) === 'there' && /^(?:is|are|was|were)$/.test(wordAt(tokens, at))
  return !isThere && (REQUESTS.has(wordAt(tokens, at)) || PLEAS.has(wordAt(tokens, at)))
}

/** Pictures of manners: any other one says how something is meant. */
const PICTURE = /^(?:🙏|🙂|😊|😀|😃|😄|😁|🤗|☺|👍|👋|❤)/u
const OF_PICTURES = wordSet('emoji emojis emoticon emoticons smiley')
const LEADS_TO_THING = wordSet('of is are a an the this that with for mean means does')

/** A picture behind the question, unless it is what is asked about. */
function smiles(tokens: readonly Token[], from: number, to: number): number {
  const last = tokens[to - 1]
  if (last?.kind !== 'symbol' || !PICTURE.test(last.text) || last.gap.includes(':')) return 0
  for (let i = from; i < to; i++) if (OF_PICTURES.has(wordAt(tokens, i))) return 0
  return LEADS_TO_THING.has(wordAt(tokens, to - 2)) && !isPause(last.gap) ? 0 : 1
}

/** `who wrote the song, help me` asks about a song: gratitude is a sentence of its own, and only thanks may end another. */
function thanks(tokens: readonly Token[], from: number, to: number): number {
  let at = to - 1
  const earliest = Math.max(from + 1, to - 6)
  for (let i = at; i >= earliest; i--)
    if (/[.!?\n]/.test(tokens[i]?.gap ?? '') && GRATEFUL.has(textOf(tokens, i, to))) return cutAt(tokens, i, from, to)
  if (PLEAS.has(wordAt(tokens, at))) return cutAt(tokens, at, from, to)
  while (at > from && AFTER_THANKS.has(wordAt(tokens, at))) at--
  const isThanks =
    THANKS.has(wordAt(tokens, at)) || (wordAt(tokens, at) === 'thank' && wordAt(tokens, at + 1) === 'you')
  return isThanks ? cutAt(tokens, at - (wordAt(tokens, at - 1) === 'many' ? 1 : 0), from, to) : 0
}

const textOf = (tokens: readonly Token[], from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => wordAt(tokens, from + i)).join(' ')

/** How many tokens go from `at` on: none where they may be what is asked about, as behind a dash they are. */
function cutAt(tokens: readonly Token[], at: number, from: number, to: number): number {
  const gap = tokens[at]?.gap ?? ''
  const others = tokens.slice(from, at).filter(({ text }) => !PLEAS.has(text) && !THANKS.has(text))
  if (others.length < LEAST || /[–—-]/.test(gap)) return 0
  return isPause(gap) || !NOT_BEFORE_THANKS.has(wordAt(tokens, at - 1)) ? to - at : 0
}

const YOU = wordSet('you u i we me us someone somebody anyone anybody')
/** `could you please`, `tell me please`, `I am lost. Please`: everywhere else it may be what is asked about. */
export function isPlea(tokens: readonly Token[], i: number): boolean {
  const one = tokens[i]
  if (one?.kind !== 'word' || !PLEAS.has(one.text)) return false
  const [before, after] = [tokens[i - 1], tokens[i + 1]]
  if (!before || after?.kind !== 'word') return false
  return /[.!?]\s/.test(one.gap) || (one.gap === ' ' && YOU.has(before.text))
}
