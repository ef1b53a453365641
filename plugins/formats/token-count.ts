import type { Block, Chat, ChatFormat, Dialect, JsonObject, MediaBlock, Tool } from 'deflector'
import { imageSize } from './image-size.ts'

/** The operation of a request that wants to know how many tokens a conversation has. */
export const COUNT_TOKENS = 'count_tokens'

/** A chat format whose clients may ask for the number of tokens. Requests of it are read as conversations. */
export interface CountFormat extends ChatFormat {
  /** The reply to such a request. */
  encodeCount(tokens: number): JsonObject
  /** The field that stands for words which only the vendor has: nobody else can count them. Default: there is none. */
  elsewhere?(body: JsonObject): string | undefined
}

export const isCountFormat = (dialect: Dialect): dialect is CountFormat => 'encodeCount' in dialect

/** The same format for requests that ask for a count; how they differ from a conversation is for `readHead` to say. */
export const counting = (
  format: ChatFormat,
  own: Pick<CountFormat, 'encodeCount' | 'elsewhere'> & Partial<ChatFormat>,
): CountFormat => {
  const readHead = own.readHead ?? format.readHead
  return { ...format, ...own, readHead: (body, call) => ({ ...readHead(body, call), operation: COUNT_TOKENS }) }
}

/** What a model reads of a conversation: texts, whose tokens a tokenizer counts, and tokens that have no text. */
export interface Countable {
  readonly texts: readonly string[]
  readonly tokens: number
}

/** What each message and each tool costs beside its text. */
const PER_TURN = 4
const PER_TOOL = 10

/** All that a vendor would count: instructions, turns, tools, calls and their results, media, a schema for the answer. */
export function countable({ system, turns, tools, responseFormat }: Chat): Countable {
  const texts: string[] = [...system]
  let tokens = (turns.length + system.length) * PER_TURN + tools.length * PER_TOOL
  const read = (blocks: readonly Block[]): void => {
    for (const block of blocks) {
      switch (block.type) {
        case 'text':
        case 'refusal':
          texts.push(block.text)
          break
        case 'reasoning':
          texts.push(block.text)
          // What only its vendor can read is about as long as it looks.
          tokens += Math.ceil((block.redacted?.length ?? 0) / 4)
          break
        case 'tool_call':
          texts.push(block.name, block.args)
          break
        case 'tool_result':
          read(block.blocks)
          break
        case 'opaque':
          texts.push(JSON.stringify(block.value))
          break
        default:
          tokens += mediaTokens(block)
      }
    }
  }
  for (const { blocks } of turns) read(blocks)
  for (const tool of tools) texts.push(toolText(tool))
  if (responseFormat?.type === 'schema') texts.push(JSON.stringify(responseFormat.schema))
  return { texts, tokens }
}

const toolText = ({ name, description = '', parameters, grammar, hosted }: Tool): string =>
  [
    name,
    description,
    ...[parameters, grammar, hosted?.value].flatMap(part => (part ? [JSON.stringify(part)] : [])),
  ].join('\n')

/** An image of unknown size, or one that is scaled down to the largest. */
const LARGE_IMAGE = 1600
/** Longest side of an image; a larger one is scaled down. */
const LONGEST_SIDE = 1568
const PIXELS_PER_TOKEN = 750
/** A page of a document: its text and its picture. */
const PAGE = 2500
const BYTES_PER_PAGE = 50_000
const AUDIO_BYTES_PER_TOKEN = 1000

function mediaTokens({ type, source }: MediaBlock): number {
  const data = 'data' in source ? source.data : undefined
  const bytes = data === undefined ? undefined : Math.ceil((data.length * 3) / 4)
  if (type === 'audio') return Math.max(1, Math.ceil((bytes ?? 0) / AUDIO_BYTES_PER_TOKEN))
  if (type === 'document') return PAGE * Math.max(1, Math.ceil((bytes ?? 0) / BYTES_PER_PAGE))
  const size = data === undefined ? undefined : imageSize(data)
  if (!size) return LARGE_IMAGE
  const scale = Math.min(1, LONGEST_SIDE / Math.max(size.width, size.height))
  return Math.max(1, Math.min(LARGE_IMAGE, Math.ceil((size.width * size.height * scale * scale) / PIXELS_PER_TOKEN)))
}
