import { unframed } from './frames.ts'
import { nameOf } from './names.ts'
import type { Token } from './token.ts'
import { wordSet } from './word-set.ts'

/**
 * Would the same question get another answer later, or shall it get another one each time? `What is the weather today`,
 * `give me a random word`, `where is my order`, `once again`. Words alone do not say so: `I tried to pay today` tells a
 * story, and a random forest is no chance. `kept` are the prompt's tokens without politeness.
 */
export function isVolatile(kept: readonly Token[]): boolean {
  const rules: Rule[] = []
  for (const { text } of kept) for (const rule of rulesAbout(text)) if (!rules.includes(rule)) rules.push(rule)
  if (rules.length === 0) return false
  const programs = kept.some(isTechnical)
  return clausesOf(kept).some(clause => rules.some(rule => rule(clause, programs)))
}

/** Does a clause ask for what changes? `programs`: the prompt is about programs. */
type Rule = (clause: string, programs: boolean) => boolean

/** The rules by the words that bring them up: every sign a rule looks for has one of them in it, the one said least. */
const RULES: ReadonlyMap<string, readonly Rule[]> = rulesByWord([
  [depends, 'today tonight tomorrow yesterday morning afternoon evening night day date week weekend month year season'],
  [depends, 'quarter time now moment present currently presently far latest newest recent breaking trending current'],
  [depends, 'rain raining snow snowing'],
  [isOwn, 'my did message messages mail mails email emails meeting meetings appointment appointments'],
  [isOwn, 'notification notifications'],
  [varies, 'random randomly surprise roll throw flip toss pick choose think select draw guess spin'],
  [varies, 'password passwords passphrase uuid uuids guid key keys joke jokes riddle number numbers'],
  [varies, 'another more else different one next again repeat redo regenerate'],
])
const ALL: readonly Rule[] = [depends, isOwn, varies]
const NONE: readonly Rule[] = []
/** These two may be the beginning of a word; and for every sign a letter beyond a to z is the end of one. */
const LOOSE = /^(?:weather|shuffle)|[^\0-\x7f]/

const rulesAbout = (word: string): readonly Rule[] => RULES.get(word) ?? (LOOSE.test(word) ? ALL : NONE)

function rulesByWord(rows: readonly (readonly [Rule, words: string])[]): Map<string, readonly Rule[]> {
  const rules = new Map<string, readonly Rule[]>()
  for (const [rule, words] of rows)
    for (const word of words.split(' ')) rules.set(word, [...(rules.get(word) ?? []), rule])
  return rules
}

const TECHNICAL = wordSet(
  'function method macro formula query script code regex command cron crontab library module api timestamp variable column ' +
    'array list dataframe database string program loop algorithm keyword operator syntax sheet spreadsheet cell component compiler',
)
const PROGRAMS = new Set(['programming_language', 'product'])
const isTechnical = ({ kind, text }: Token): boolean =>
  kind === 'code' || TECHNICAL.has(text.replace(/s$/, '')) || (kind === 'word' && PROGRAMS.has(plainName(text)))
/** `go`, `express` and other everyday words say nothing here. */
function plainName(word: string): string {
  const name = nameOf(word)
  return name && !name.everyday ? name.family : ''
}

/** The words between marks of punctuation. Code and quotations are left out: what they say is not said. */
function clausesOf(tokens: readonly Token[]): string[] {
  const clauses: string[][] = [[]]
  for (const { kind, text, gap } of tokens) {
    if (gap !== ' ' && /[.,!?;:\n]/.test(gap)) clauses.push([])
    if (kind === 'quoted' || kind === 'symbol') continue
    clauses.at(-1)?.push(kind === 'code' && !/^d\d+$/.test(text) ? '#' : text)
  }
  return clauses.flatMap(words => (words.length > 0 ? [lead(words.join(' '))] : []))
}

const LEADS =
  /^(?:(?:so|and|but|then|well|ok|okay|now|also|just|hmm|oh) |(?:can|could|would|will) (?:you|u|someone|anyone|we) (?:just |now |quickly )*|any idea |do(?:es)? (?:you|u|anyone|anybody|someone) (?:happen to )?(?=know )|i (?:am|was) (?:just )?(?:wondering|curious) (?:if |whether )?|help me (?=(?:know|see|find out) )|i (?:want|need|would like|wish|wanna) (?:to )?(?=(?:know|see|hear|find out) )|(?:know|see|find out) (?=(?:what|which|who|when|where|how|if|whether|why)\b))/
/** Without what leads up to it. */
function lead(clause: string): string {
  const rest = unframed(clause.replace(LEADS, ''))
  return rest === clause || rest === '' ? clause : lead(rest)
}

const DAY =
  /\b(?:today|tonight|tomorrow|yesterday|this (?:morning|afternoon|evening|week|weekend|month|year|season|quarter)|(?:last|next|coming) (?:night|week|weekend|month|year|season))\b/
const NOW =
  /\b(?:right now|just now|as of now|at (?:the )?(?:moment|present)|currently|presently|so far|at this (?:time|moment)|(?<!until |by |every |from )now(?! that| and then| and again))\b/
const LATEST = /(?<!at )\b(?:latest|newest|most recent|breaking news|trending)\b/
const CURRENT =
  /\bcurrent (?!working|director|folder|branch|user|shell|line|row|path|process|thread|page|file|element|account|flow|source|density|in|of|through)/
const TOPIC =
  /\b(?:weather|forecasts?|news|headlines?|scores?|stocks?|crypto|bitcoin|prices?|exchange rate|fixtures|traffic|lottery|horoscopes?|happen(?:s|ed|ing)?)\b/
const CLOCK =
  /^(?:what (?:time|day|date|year|month) (?:is it|it is|is today)|what is (?:time|date|day)(?: in [a-z ]+)?$|(?:what|how) is weather|weather (?:in|for|at|forecast)|(?:is it|will it) (?:rain|snow)(?:ing)?\b)/
const CLIMATE =
  /\b(?:spring|summer|autumn|fall|winter|january|february|march|april|may|june|july|august|september|october|november|december)\b/

const ASKS =
  /^(?:what|which|who|whose|when|where|how|is|are|am|was|were|do|does|did|has|have|had|can|could|will|would|should|shall|may|any)\b/
const TELLS =
  /^(?:tell|show|give|list|name|find|check|get|read|know|see|hear|look up|search|summari[sz]e|describe|predict|recommend|suggest)\b/
const HOW_TO = /^how (?:to|do i|do we|do you|do one|can|could|should|would|might|may)\b/
/** `why was I charged today`, `what should I do now`: the answer is the same tomorrow. */
const TROUBLE =
  /^(?:why|how come)\b.*\b(?:i|my|we|our)\b|^what (?:now|next)$|^what (?:should|can|could|do|would) (?:i|we) do\b/
const PERSON = /\b(?:i|my|we|our)\b/
const PAST = /\b(?:was|were|had|did|got|went|been|has|have|said|saw|made|took|lost|found|[a-z]{3,}ed)\b/
/** What the word for tomorrow is, how to spell it. */
const MENTIONS =
  /\b(?:translate|spell|pronounce|synonym|antonym|define|definition|etymology|meaning|means?|word for)\b|^how .*\bsay\b/
const WRITES =
  /^(?:write|draft|compose|prepare|create|generate|make)\b.*\b(?:email|mail|letter|message|note|text|poem|story|essay|song|speech|post|tweet|toast)\b|\b(?:email|mail|letter|message|note) (?:for|to|about|telling|saying)\b/
/** Is a word for a time asked about rather than meant? `what does today mean` */
export const mentions = (clause: string): boolean => MENTIONS.test(clause)
const FILES = /\b(?:files?|director(?:y|ies)|folders?|commits?|rows?|records?|lines?|logs?)\b/
/** The best of our time, the world of our time. */
const ERA =
  /\b(?:best|worst|greatest|(?:most|least) (?!recent|popular|watched|viewed|played|searched|valuable|expensive|traded|followed)[a-z]+)\b.*\b(?:today|as of now)\b|\b(?:exists?|existed|used|alive|relevant|society|world|life|of) today\b|\btoday 's (?:world|society|generation|youth|age|economy|era|children|kids|teenagers|students|technology|standards|workplace)\b/

/** On when it is asked. */
function depends(clause: string, programs: boolean): boolean {
  if (CLOCK.test(clause)) return !CLIMATE.test(clause)
  if (mentions(clause) || TROUBLE.test(clause) || FILES.test(clause)) return false
  const topic = TOPIC.test(clause)
  const asks = ASKS.test(clause) || TELLS.test(clause)
  if (HOW_TO.test(clause)) return topic && DAY.test(clause)
  if (WRITES.test(clause) && !topic) return false
  if (!asks && PERSON.test(clause) && (!topic || PAST.test(clause))) return false
  if (LATEST.test(clause)) return true
  if (programs && !topic) return false
  if (asks && CURRENT.test(clause)) return true
  if (!topic && ERA.test(clause)) return false
  if (NOW.test(clause)) return asks || topic
  return DAY.test(clause) && (asks || topic || (clause.split(' ').length <= 5 && !PAST.test(clause)))
}

const GOODS =
  '(?:orders?|package|parcel|delivery|shipment|refund|flight|luggage|ride|driver|booking|reservation|appointment)(?! (?:address|detail|confirmation|histor|setting|option|polic|page|email|preference|method|information))'
const OWN = [
  /\bmy (?:latest|newest|last|most recent|recent|current|next|upcoming|previous) [a-z]/,
  new RegExp(`^(?:where|when) (?:is|are|will|does|do|can|should)\\b.*\\bmy (?:[a-z]+ )?${GOODS}\\b`),
  new RegExp(`^(?:has|have|is|are|did|was|will|does) my (?:[a-z]+ )?${GOODS}\\b`),
  /\bstatus of my\b|\bmy (?:[a-z]+ )?status\b/,
  /\bmy (?:unread |new )?(?:orders|messages|emails|inbox|calendar|schedule|agenda|notifications|appointments|meetings|balance|tasks|reminders|voicemail|transactions|bookings|reservations)\b/,
  /^do i have (?:any )?(?:new |unread )?(?:messages?|mails?|emails?|meetings?|appointments?|notifications?)\b/,
  /^what did i (?:just )?(?:say|ask|write|tell)\b/,
]

/** On the asker's own affairs, which go on. */
function isOwn(clause: string): boolean {
  if (HOW_TO.test(clause) || TROUBLE.test(clause) || !(ASKS.test(clause) || TELLS.test(clause))) return false
  if (/^(?:can|could|may|should|would) (?:i|we)\b|^(?:do|does) (?!i have)|^what (?:happens|if)\b/.test(clause))
    return false
  return OWN.some(one => one.test(clause))
}

const MAKES =
  '(?:give|tell|show|write|suggest|generate|recommend|ask|share|provide|send|say|try|do|i want|i need|i would like|how about|what about|let us (?:hear|have|try))'
const RANDOM = new RegExp(
  `^(?:${MAKES}|name|list|create|make|pick|choose|select|draw|play|think of|[\\d]+|what is|what are)? ?.*\\brandom(?:ly)?\\b`,
)
const NO_CHANCE =
  /\brandom (?:forests?|access|walks?|variables?|sampl\w+|seeds?|effects?|errors?|fields?|graphs?|process(?:es)?|search|numbers? generat\w+|noise|assignment|distribution|mutations?|drift|allocation|selection|vectors?|matri\w+|oracle|house|events?)\b|^how\b|^(?:what|why|when|where|who|which|is|are|does|do|did)\b(?!.*\brandom (?:facts?|jokes?|quotes?|stor(?:y|ies)|movies?|songs?|recipes?|words?|names?|questions?|trivia)\b)/
const CHANCE =
  /^(?:surprise me|(?:roll|throw) (?:me )?(?:\w+ )?(?:dice|die|d\d+)|(?:flip|toss) (?:me )?coin|(?:pick|choose|think of|select|draw|guess) (?:me )?(?:any )?(?:number|card|letter|winner)\b|(?:pick|choose) (?:one|something|somebody|someone|anything|for me)\b|spin wheel|shuffle)/
const ANOTHER = new RegExp(
  `^(?:${MAKES} )(?:me |us )?(?:another (?!(?:word|name|term|phrase)s? (?:for|to))|(?:one|two|three|five|ten|some|\\d+|few) more\\b|(?:something|anything|someone) (?:else|different)\\b|(?:different|new|next) one\\b|more(?: (?:ideas|examples|options|jokes|facts|suggestions|alternatives|variations|quotes|riddles|stories|ones|like (?:this|that)))?$)`,
)
const BARE =
  /^(?:(?:another|one more|next|more)(?: [a-z]+)?|(?:once )?(?:again|more)|something else|anything else|(?:what|who) else(?: (?:can|do|could|would) you .*)?)$/
const AGAIN =
  /^(?:tell|say|do|try|show|give|explain|generate|roll|ask|write|answer|run|check|send|read|play|flip)\b.*\bagain$|^(?:tell|explain|show|say|do)(?: me| us)?(?: it| that| this)? again\b|^(?:repeat|redo|regenerate)(?:$| (?:that|it|this|yourself|last|previous|your)\b)/

/** Nobody wants what another has got: `generate a password`, `a uuid v4`, `tell me a joke`, `a number between 1 and 10`. */
const MADE_UP =
  /^(?:generate|create|make|give|get|produce|pick|choose|suggest|think of|say|tell|i need|i want)(?: me| us)?(?: [a-z\d]+){0,3}? (?:(?:passwords?|passphrases?|uuids?|guids?|(?:api|secret|encryption) keys?|jokes?|riddles?)(?: #)?(?: for (?:me|my [a-z]+))?$|numbers? (?:between|from)\b)/

/** Because variety is what is asked for. */
function varies(clause: string, programs: boolean): boolean {
  if (MADE_UP.test(clause)) return true
  if (CHANCE.test(clause) || ANOTHER.test(clause) || BARE.test(clause) || AGAIN.test(clause)) return true
  return !programs && !FILES.test(clause) && RANDOM.test(clause) && !NO_CHANCE.test(clause)
}
