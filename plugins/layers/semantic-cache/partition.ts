import type { Exchange } from 'deflector'
import { partitionKey } from 'deflector/formats/cache-key'
import { isShort, isWritten, leans } from './cacheable.ts'
import { withoutManners } from './politeness.ts'
import type { Token } from './token.ts'
import { tokensOf } from './tokens.ts'
import { isVolatile } from './volatile.ts'
import { looksEnglish } from './words/function-words.ts'

/** A request as this layer sees it: whom its answer may be shared with, and the one text that is compared. */
export interface Question {
  /** Requests of one partition differ in the last turn's text and in nothing else. */
  readonly partition: string
  readonly text: string
  readonly tokens: readonly Token[]
  /** The tokens without greetings, thanks and articles. */
  readonly kept: readonly Token[]
  /** How alike the texts must be. */
  readonly likeness: 'yes' | 'same_words'
}

/** Bodies above this are documents or long sessions; reading them whole would cost more than it can save. */
const LARGEST = 256 << 10
/** Above this a client wants variety. */
const HOTTEST = 1

/** `undefined` for a request that only the exact cache may answer; the reason goes to `say`. */
export async function questionOf(exchange: Exchange, say: (reason: string) => void): Promise<Question | undefined> {
  const { prompt } = exchange
  if (prompt.bytes.length > LARGEST) return none(say, 'long')
  const turn = prompt.dialect.lastTurn?.(prompt.body)
  if (!turn) return none(say, 'not_text')
  if (!isWritten(turn.text)) return none(say, 'long_or_code')
  const reason = structure(exchange)
  if (reason !== undefined) return none(say, reason)
  const tokens = tokensOf(turn.text)
  const kept = withoutManners(tokens)
  if (isVolatile(kept)) return none(say, 'volatile')
  const follows = prompt.chat.turns.length > 1
  if (follows && isShort(turn.text)) return none(say, 'leans')
  // Guards and verifier know English, and one turn at a time.
  const strict = !looksEnglish(turn.text, kept) || (follows && leans(turn.text))
  const partition = await partitionKey(exchange, turn.rest)
  return { partition, text: turn.text, tokens, kept, likeness: strict ? 'same_words' : 'yes' }
}

function none(say: (reason: string) => void, reason: string): undefined {
  say(reason)
  return undefined
}

/** Tools, anything but text, a schema and a high temperature: each asks for an answer of its own. */
function structure({ prompt: { chat } }: Exchange): string | undefined {
  if (chat.tools.length > 0 || chat.toolChoice) return 'tools'
  if (chat.turns.some(({ blocks }) => blocks.some(({ type }) => type !== 'text'))) return 'not_text'
  if (chat.responseFormat) return 'schema'
  return (chat.sampling.temperature ?? 0) > HOTTEST ? 'temperature' : undefined
}
