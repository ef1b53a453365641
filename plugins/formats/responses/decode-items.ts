import type { Block, CacheMark, Chat, JsonObject, MediaBlock, Steps, Tool, Turn } from 'deflector'
import { z } from 'zod'
import { argsText } from '../args-text.ts'
import { badRequest, checked, optional } from '../body.ts'
import { systemMarks } from '../cache-mark.ts'
import { withCallProofs } from '../call-proof.ts'
import { isShown, withHeadMedia } from '../content.ts'
import { refersToOwn } from './item-ids.ts'
import { addBlocks } from './joined-texts.ts'
import { fullName } from './names.ts'
import { OwnSteps } from './own-steps.ts'
import { decodeContent, decodeOutput } from './parts.ts'
import { decodeReasoning } from './reasoning.ts'
import { decodeTools } from './tools.ts'

const OWN = 'responses'

const list = z.compile(z.array(z.record(z.string(), z.unknown())))
const call = z.compile(
  z.object({
    call_id: z.string('must be a string'),
    name: z.string('must be a string'),
    namespace: optional(z.string()),
    arguments: z.unknown().optional(),
    input: z.unknown().optional(),
  }),
)
const output = z.compile(z.object({ call_id: z.string('must be a string'), output: z.unknown().optional() }))

/** What the items of `input` say. */
export interface Conversation extends Pick<Chat, 'system' | 'systemMarks' | 'turns'> {
  /** Tools that are declared among the items. */
  readonly tools: readonly Tool[]
  /** Paths of items that only a vendor of this dialect understands. */
  readonly vendorOnly: readonly string[]
}

/**
 * Items as turns. What the model did without being answered is one turn, however many items it is; outputs in a row are
 * one turn too. Instructions before the first turn go to the head of the conversation.
 */
export function* decodeItems(input: unknown): Steps<Conversation> {
  const system: string[] = []
  const marks: (CacheMark | undefined)[] = []
  const media: MediaBlock[] = []
  const turns: Turn[] = []
  const tools: Tool[] = []
  const vendorOnly: string[] = []
  let open: { readonly kind: 'model' | 'outputs'; readonly blocks: Block[] } | undefined
  const add = (kind: 'model' | 'outputs', blocks: readonly Block[]): void => {
    if (blocks.length === 0) return
    if (open?.kind !== kind) {
      open = { kind, blocks: [] }
      turns.push({ role: kind === 'model' ? 'assistant' : 'user', blocks: open.blocks })
    }
    addBlocks(open.blocks, blocks)
  }
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : checked(list, input ?? [], 'input')
  let steps: OwnSteps | undefined
  for (const [index, item] of items.entries()) {
    yield
    if (refersToOwn(item)) continue
    const at = `input[${index}]`
    switch (item.type ?? (item.role === undefined ? 'item_reference' : 'message')) {
      case 'message': {
        const { role } = item
        const blocks = decodeContent(item.content, `${at}.content`)
        if (role === 'assistant') add('model', blocks)
        else if (role === 'user') {
          open = undefined
          if (blocks.length > 0) turns.push({ role, blocks })
        } else if (role === 'system' || role === 'developer') {
          const shown = blocks.filter(isShown)
          if (turns.length === 0)
            for (const block of shown) {
              if (block.type !== 'text') media.push(block)
              else {
                system.push(block.text)
                marks.push(block.cacheMark)
              }
            }
          else if (shown.length > 0) {
            open = undefined
            turns.push({ role: 'system', blocks: shown })
          }
        } else throw badRequest(`${at}.role`, 'must be user, assistant, system or developer')
        break
      }
      case 'reasoning':
        add('model', [decodeReasoning(item, at)])
        break
      case 'function_call':
      case 'custom_tool_call':
        add('model', [decodeCall(item, at)])
        break
      case 'function_call_output':
      case 'custom_tool_call_output': {
        const { call_id: id, output: given } = checked(output, item, at)
        add('outputs', [{ type: 'tool_result', id, blocks: decodeOutput(given, `${at}.output`), isError: false }])
        break
      }
      case 'additional_tools': {
        tools.push(...decodeTools(item.tools, `${at}.tools`))
        break
      }
      default: {
        steps ??= new OwnSteps(items)
        const step = steps.at(index, item)
        if (!step) vendorOnly.push(at)
        add('model', [{ type: 'opaque', format: OWN, value: item, ...(step && { step }) }])
      }
    }
  }
  const signed = turns.map(turn =>
    turn.role === 'assistant' ? { ...turn, blocks: withCallProofs(OWN, turn.blocks) } : turn,
  )
  return { system, ...systemMarks(marks), turns: withHeadMedia(media, signed), tools, vendorOnly }
}

/** A call of a function or of a free-form tool. */
export function decodeCall(item: JsonObject, at = ''): Extract<Block, { type: 'tool_call' }> {
  const { call_id: id, name, namespace, arguments: args, input } = checked(call, item, at)
  const isCustom = item.type === 'custom_tool_call'
  return {
    type: 'tool_call',
    id,
    name: fullName(name, namespace),
    args: argsText(isCustom ? input : args),
    ...(isCustom && { kind: 'custom' }),
    ...(namespace !== undefined && { namespace }),
  }
}
