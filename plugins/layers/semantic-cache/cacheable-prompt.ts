import { hash } from 'node:crypto'
import type { Before, Chat, Exchange } from 'deflector'
import { isCacheable } from 'deflector/facets/vendor-state'
import { partitionKey } from 'deflector/formats/cache-key'
import type { Context } from './context.ts'

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

/** A request as this layer reads it. */
export interface ReadRequest {
  /** Absent where only the exact cache may answer it. */
  readonly prompt?: CacheablePrompt
  /** Why it may; absent with a prompt. */
  readonly refused?: string
  /** As text; absent where what comes before it refused. */
  readonly canonical?: string
}

/** Larger bodies are documents or long sessions; reading them takes longer than a hit could save. */
const LARGEST = 256 << 10
/** Characters of a text that is still a prompt and not a document. */
const LONGEST = 4096
/** Above this a client wants variety. */
const HOTTEST = 1

export async function readRequest(
  exchange: Exchange,
  { judge, entries }: Pick<Context, 'judge' | 'entries'>,
): Promise<ReadRequest> {
  const { prompt } = exchange
  if (!isCacheable(prompt)) return { refused: 'vendor_state' }
  if (prompt.bytes.length > LARGEST) return { refused: 'long' }
  const turn = prompt.dialect.lastTurn?.(prompt.body)
  if (!turn) return { refused: 'not_text' }
  const { text, rest } = turn
  if (text.length > LONGEST) return { refused: 'long' }
  const structure = structureOf(exchange)
  if (structure !== undefined) return { refused: structure }
  const { canonical, comparable, refused } = judge.read(text, beforeIn(prompt.chat))
  if (refused !== undefined) return { refused, canonical }
  const key = hash('sha256', canonical, 'base64url')
  if (entries.apart.has(key, key)) return { refused: 'parted', canonical }
  return { prompt: { partition: await partitionKey(exchange, rest), text, canonical: key, comparable }, canonical }
}

/** What the client says before its last turn, and not what a model said. */
function beforeIn({ system, turns }: Chat): Before {
  const earlier = turns.slice(0, -1).filter(({ role }) => role !== 'assistant')
  const said = earlier.flatMap(({ blocks }) => blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])))
  return { texts: [...system, ...said], follows: turns.length > 1 }
}

/** Why the structure of a request rules out similarity: tools, non-text blocks, a schema or a high temperature. */
function structureOf({ prompt: { chat } }: Exchange): string | undefined {
  if (chat.tools.length > 0 || chat.toolChoice) return 'tools'
  if (chat.turns.some(({ blocks }) => blocks.some(({ type }) => type !== 'text'))) return 'not_text'
  if (chat.responseFormat) return 'schema'
  return (chat.sampling.temperature ?? 0) > HOTTEST ? 'temperature' : undefined
}
