import { hash } from 'node:crypto'
import type { Exchange, Judge } from 'deflector'
import { partitionKey } from 'deflector/formats/cache-key'

/** The part of a request that this layer compares: its last turn's text, and the partition that may share answers. */
export interface CacheablePrompt {
  /** Requests of one partition differ in the last turn's text and in nothing else. */
  readonly partition: string
  readonly text: string
  /** Hashed, as it is part of keys. */
  readonly canonical: string
  /** May it be answered by an entry in other words? */
  readonly comparable: boolean
}

/** Larger bodies are documents or long sessions; reading them takes longer than a hit could save. */
const LARGEST = 256 << 10
/** Characters of a text that is still a prompt and not a document. */
const LONGEST = 4096
/** Above this a client wants variety. */
const HOTTEST = 1

/** `undefined` for a request that only the exact cache may answer; `skipped` gets the reason. */
export async function cacheablePromptOf(
  exchange: Exchange,
  judge: Pick<Judge, 'read'>,
  skipped: (reason: string) => void,
): Promise<CacheablePrompt | undefined> {
  const { prompt } = exchange
  if (prompt.bytes.length > LARGEST) return skip(skipped, 'long')
  const turn = prompt.dialect.lastTurn?.(prompt.body)
  if (!turn) return skip(skipped, 'not_text')
  if (turn.text.length > LONGEST) return skip(skipped, 'long')
  const reason = structure(exchange)
  if (reason !== undefined) return skip(skipped, reason)
  const { canonical, comparable, refused } = judge.read(turn.text, prompt.chat.turns.length > 1)
  if (refused !== undefined) return skip(skipped, refused)
  const partition = await partitionKey(exchange, turn.rest)
  return { partition, text: turn.text, canonical: hash('sha256', canonical, 'base64url'), comparable }
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
