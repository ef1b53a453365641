import { type Block, type Chat, isObject, type JsonObject, type Tool, type ToolCallBlock } from 'deflector'

/** A free-form tool takes one text. To a vendor that knows only functions it is a function with one string. */
export const FREEFORM_PARAMETERS: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
}

/** The tool as a function. What its text must follow is told in words, as no schema can say it. */
export function asFunction(tool: Tool): Tool {
  if (tool.kind !== 'custom') return tool
  const { kind: _, grammar, description = '', ...rest } = tool
  const { definition, syntax } = grammar ?? {}
  const rule =
    typeof definition === 'string' ? `The input must follow this ${String(syntax)} grammar:\n${definition}` : ''
  const words = [description, rule].filter(text => text !== '').join('\n\n')
  return { ...rest, ...(words !== '' && { description: words }), parameters: FREEFORM_PARAMETERS }
}

/** The arguments of a free-form call, as a function with that one string has them. */
export const freeformArgs = (input: string): string => JSON.stringify({ input })

/** The text of a free-form call that came as a function's arguments. */
export function freeformInput(args: string): string {
  try {
    const parsed: unknown = JSON.parse(args)
    return isObject(parsed) && typeof parsed.input === 'string' ? parsed.input : args
  } catch {
    return args
  }
}

/** A free-form call as one of the function that `asFunction` makes of its tool. */
export function asFunctionCall(call: ToolCallBlock): ToolCallBlock {
  if (call.kind !== 'custom') return call
  const { kind: _, args, ...rest } = call
  return { ...rest, args: freeformArgs(args) }
}

/** The conversation for a vendor without free-form tools. What it calls is for the provider to turn back. */
export function asFunctions(chat: Chat): Chat {
  if (!chat.tools.some(isFreeform) && !chat.turns.some(({ blocks }) => blocks.some(isFreeformCall))) return chat
  const turns = chat.turns.map(turn => ({
    ...turn,
    blocks: turn.blocks.map((block): Block => (block.type === 'tool_call' ? asFunctionCall(block) : block)),
  }))
  return { ...chat, tools: chat.tools.map(asFunction), turns }
}

const isFreeform = ({ kind }: Tool): boolean => kind === 'custom'

const isFreeformCall = (block: Block): boolean => block.type === 'tool_call' && block.kind === 'custom'
