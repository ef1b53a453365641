import type { Block, JsonObject, Steps, ToolCallBlock, ToolResultBlock, Turn } from 'deflector'
import { isMedia, isShown } from '../content.ts'
import { distinctCalls } from '../distinct-calls.ts'
import { withModelMedia } from '../model-media.ts'
import { OPENING } from '../ordered-turns.ts'
import { NO_RESULT, resultsByCall } from '../results-by-call.ts'
import { shortId } from '../short-id.ts'
import { shortName } from './names.ts'
import { encodeParts, textPart } from './parts.ts'
import { encodeReasoning } from './reasoning.ts'

/**
 * The items of a history. Each call is answered once: a result without a call is left out, and a call that the history
 * leaves unanswered is told so. A history that says nothing at all would be refused, so it asks to go on.
 */
export function* encodeItems(given: readonly Turn[]): Steps<JsonObject[]> {
  const turns = yield* distinctCalls(yield* withModelMedia(given))
  const results = resultsByCall(turns)
  const callOf = new Map([...results].map(([call, result]) => [result, call]))
  const items: JsonObject[] = []
  for (const [index, { role, blocks }] of turns.entries()) {
    yield
    if (role === 'system') items.push(...instruction(blocks))
    else if (role === 'user') items.push(...userItems(blocks, callOf))
    else {
      const isLast = index === turns.length - 1
      const calls = isLast ? [] : blocks.filter(block => block.type === 'tool_call')
      const lost = calls.filter(call => !results.has(call)).map(call => outputItem(call, NO_RESULT))
      items.push(...modelItems(blocks), ...lost)
    }
  }
  if (items.length === 0) items.push({ type: 'message', role: 'user', content: [textPart(OPENING)] })
  return items
}

/** Only words are instructions; what they show is said by the user. */
function instruction(blocks: readonly Block[]): JsonObject[] {
  const words = blocks.flatMap(block => (block.type === 'text' ? encodeParts(block) : []))
  const shown = blocks.filter(isMedia).flatMap(encodeParts)
  return [
    ...(words.length === 0 ? [] : [{ type: 'message', role: 'developer', content: words }]),
    ...(shown.length === 0 ? [] : [{ type: 'message', role: 'user', content: shown }]),
  ]
}

function userItems(blocks: readonly Block[], callOf: ReadonlyMap<ToolResultBlock, ToolCallBlock>): JsonObject[] {
  const items: JsonObject[] = []
  const content: JsonObject[] = []
  for (const block of blocks) {
    if (isShown(block)) content.push(...encodeParts(block))
    else if (block.type === 'tool_result') {
      const call = callOf.get(block)
      if (call) items.push(outputItem(call, outputOf(block)))
    } else if (isOwn(block)) items.push(block.value)
  }
  return content.length === 0 ? items : [...items, { type: 'message', role: 'user', content }]
}

function modelItems(blocks: readonly Block[]): JsonObject[] {
  const items: JsonObject[] = []
  let said: JsonObject[] | undefined
  const say = (part: JsonObject): void => {
    if (!said) {
      said = []
      items.push({ type: 'message', role: 'assistant', content: said })
    }
    said.push(part)
  }
  const add = (item: JsonObject | undefined): void => {
    said = undefined
    if (item) items.push(item)
  }
  for (const block of blocks) {
    if (block.type === 'text') say({ type: 'output_text', text: block.text, annotations: [] })
    else if (block.type === 'refusal') say({ type: 'refusal', refusal: block.text })
    else if (block.type === 'reasoning') add(encodeReasoning(block))
    else if (block.type === 'tool_call') add(callItem(block))
    else if (isOwn(block)) add(block.value)
  }
  return items
}

function callItem({ id, name, args, kind, namespace }: ToolCallBlock): JsonObject {
  const about = {
    call_id: callId(id),
    name: shortName(name, namespace),
    ...(namespace !== undefined && { namespace }),
  }
  if (kind === 'custom') return { type: 'custom_tool_call', ...about, input: args }
  // Nothing at all means no arguments, and only `{}` says so to everybody.
  return { type: 'function_call', ...about, arguments: args.trim() === '' ? '{}' : args }
}

const outputItem = ({ id, kind }: ToolCallBlock, output: string | readonly JsonObject[]): JsonObject => ({
  type: kind === 'custom' ? 'custom_tool_call_output' : 'function_call_output',
  call_id: callId(id),
  output,
})

/** This format has no word for a failure of a tool, so the words say it. */
function outputOf({ blocks, isError }: ToolResultBlock): string | readonly JsonObject[] {
  const texts = blocks.flatMap(block => (block.type === 'text' ? [block.text] : []))
  const mark = isError ? 'Error: ' : ''
  const isMarked = blocks.some(({ cacheMark }) => cacheMark?.breakpoint)
  if (texts.length === blocks.length && !isMarked) return mark + texts.join('\n\n')
  const parts = blocks.flatMap(encodeParts)
  return mark === '' ? parts : [{ type: 'input_text', text: mark.trim() }, ...parts]
}

/** What OpenAI takes as a call's id: https://github.com/decolua/9router/issues/393 */
const LONGEST_ID = 64
const callId = (id: string): string => shortId(id, LONGEST_ID)

const isOwn = (block: Block): block is Extract<Block, { type: 'opaque' }> =>
  block.type === 'opaque' && block.format === 'responses'
