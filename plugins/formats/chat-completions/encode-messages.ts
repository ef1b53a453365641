import type {
  Block,
  JsonObject,
  ReasoningBlock,
  RefusalBlock,
  Steps,
  TextBlock,
  ToolCallBlock,
  ToolResultBlock,
  Turn,
} from 'deflector'
import { isMedia, isShown, type Shown } from '../content.ts'
import { distinctCalls } from '../distinct-calls.ts'
import { withModelMedia } from '../model-media.ts'
import { NO_RESULT, resultsByCall } from '../results-by-call.ts'
import { CHAT_ID_LIMIT, shortId } from '../short-id.ts'
import { encodeMedia, textPart } from './media.ts'

const ONLY_MEDIA = '(the result is attached to the next message)'

/**
 * The messages of a history. Every call is followed at once by its result, whatever the order of the turns was;
 * a result without a call is left out. Media of results, of the model and of the system follow in a user message, as
 * theirs hold only text.
 */
export function* encodeMessages(given: readonly Turn[]): Steps<JsonObject[]> {
  const turns = yield* distinctCalls(yield* withModelMedia(given))
  const messages: JsonObject[] = []
  const results = resultsByCall(turns)
  let carried: JsonObject[] = []
  const flush = (parts: readonly JsonObject[] = []): void => {
    const content = [...carried, ...parts]
    carried = []
    if (content.length > 0) messages.push({ role: 'user', content: joined(content) })
  }
  for (const [index, { role, blocks }] of turns.entries()) {
    yield
    if (role === 'user') {
      flush(blocks.filter(isShown).flatMap(encodeParts))
      continue
    }
    flush()
    if (role === 'system') {
      const content = blocks.flatMap(block => (isSaid(block) ? [block.text] : []))
      if (content.length > 0) messages.push({ role, content: content.join('\n\n') })
      carried.push(...blocks.filter(isMedia).flatMap(encodeMedia))
      continue
    }
    const calls = blocks.filter(block => block.type === 'tool_call')
    const content = wordsOf(blocks)
    if (content === null && calls.length === 0) continue
    messages.push({
      role,
      content,
      ...(calls.length > 0 && {
        ...echo(blocks),
        tool_calls: calls.map(call => encodeCall({ ...call, id: callId(call) })),
      }),
    })
    for (const call of calls) {
      const result = results.get(call)
      if (!result && index === turns.length - 1) continue // they have not been run yet
      messages.push({ role: 'tool', tool_call_id: callId(call), content: result ? resultText(result) : NO_RESULT })
      if (result) carried.push(...result.blocks.filter(isMedia).flatMap(encodeMedia))
    }
  }
  flush()
  return messages
}

const callId = ({ id }: ToolCallBlock): string => shortId(id, CHAT_ID_LIMIT)

const isSaid = (block: Block): block is TextBlock | RefusalBlock => block.type === 'text' || block.type === 'refusal'

/** Blocks that follow each other are pieces of one text. What the model did between two of them parts them. */
function wordsOf(blocks: readonly Block[]): string | null {
  let words: string | null = null
  for (const [at, block] of blocks.entries()) {
    if (!isSaid(block)) continue
    const before = blocks[at - 1]
    words = words === null ? block.text : words + (before && !isSaid(before) ? '\n\n' : '') + block.text
  }
  return words
}

const encodeParts = (block: Shown): JsonObject[] =>
  block.type === 'text' ? [textPart(block.text)] : encodeMedia(block)

/** Words alone become one string: several vendors know no parts. */
function joined(parts: readonly JsonObject[]): string | readonly JsonObject[] {
  return parts.every(part => part.type === 'text') ? parts.map(part => part.text).join('\n\n') : parts
}

/** Vendors that think in `reasoning_content` want it back inside a tool loop. What another vendor signed is not theirs. */
function echo(blocks: Turn['blocks']): JsonObject {
  const text = blocks.flatMap(block => (block.type === 'reasoning' && isOwnWord(block) ? [block.text] : [])).join('')
  return text === '' ? {} : { reasoning_content: text }
}

const isOwnWord = ({ signature, origin }: ReasoningBlock): boolean =>
  signature === undefined || origin === 'chat-completions'

/** A call of an assistant's message, in a history or in an answer. */
export const encodeCall = ({ id, name, args, kind }: ToolCallBlock): JsonObject =>
  kind === 'custom'
    ? { id, type: 'custom', custom: { name, input: args } }
    : { id, type: 'function', function: { name, arguments: wholeArgs(args) } }

/** Nothing at all means no arguments, and only `{}` says so to everybody. */
const wholeArgs = (args: string): string => (args.trim() === '' ? '{}' : args)

function resultText({ blocks, isError }: ToolResultBlock): string {
  const text = blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n\n')
  const said = text === '' && blocks.length > 0 ? ONLY_MEDIA : text
  return isError ? `Error: ${said}` : said
}
