import type { Exchange } from 'deflector'
import { partitionKey } from 'deflector/formats/cache-key'
import { isShort, isWritten, leans } from './cacheable.ts'
import { withoutPoliteness } from './politeness.ts'
import type { Token } from './token.ts'
import { tokensOf } from './tokens.ts'
import { isVolatile } from './volatile.ts'
import { looksEnglish } from './words/function-words.ts'

/** The part of a request that this layer compares: its last turn's text, and the partition that may share answers. */
export interface CacheablePrompt {
  /** Requests of one partition differ in the last turn's text and in nothing else. */
  readonly partition: string
  readonly text: string
  readonly tokens: readonly Token[]
  /** The tokens without greetings, thanks and articles. */
  readonly kept: readonly Token[]
  /** Which texts match: similar ones, or only those with the same words. */
  readonly matching: 'similar' | 'same_words'
}

/** Larger bodies are documents or long sessions; reading them takes longer than a hit could save. */
const LARGEST = 256 << 10
/** Above this a client wants variety. */
const HOTTEST = 1

/** `undefined` for a request that only the exact cache may answer; `skipped` gets the reason. */
export async function cacheablePromptOf(
  exchange: Exchange,
  skipped: (reason: string) => void,
): Promise<CacheablePrompt | undefined> {
  const { prompt } = exchange
  if (prompt.bytes.length > LARGEST) return skip(skipped, 'long')
  const turn = prompt.dialect.lastTurn?.(prompt.body)
  if (!turn) return skip(skipped, 'not_text')
  if (!isWritten(turn.text)) return skip(skipped, 'long_or_code')
  const reason = structure(exchange)
  if (reason !== undefined) return skip(skipped, reason)
  const tokens = tokensOf(turn.text)
  const kept = withoutPoliteness(tokens)
  if (isVolatile(kept)) return skip(skipped, 'volatile')
  const follows = prompt.chat.turns.length > 1
  if (follows && isShort(turn.text)) return skip(skipped, 'leans')
  // Guards and verifier know English, and one turn at a time.
  const strict = !looksEnglish(turn.text, kept) || (follows && leans(turn.text))
  const partition = await partitionKey(exchange, turn.rest)
  return { partition, text: turn.text, tokens, kept, matching: strict ? 'same_words' : 'similar' }
}

function skip(skipped: (reason: string) => void, reason: string): undefined {
  skipped(reason)
  return undefined
}

/** Why the structure of a request rules out similarity: tools, non-text blocks, a schema or a high temperature. */
function structure({ prompt: { chat } }: Exchange): string | undefined {
  if (chat.tools.length > 0 || chat.toolChoice) return 'tools'
  if (chat.turns.some(({ blocks }) => blocks.some(({ type }) => type !== 'text'))) return 'not_text'
  if (chat.responseFormat) return 'schema'
  return (chat.sampling.temperature ?? 0) > HOTTEST ? 'temperature' : undefined
}
