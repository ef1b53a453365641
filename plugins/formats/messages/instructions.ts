import { type Instruction, isObject, type JsonObject, type PlacedText, type ToolResultText } from 'deflector'
import { listOf, mayDropTurns, PlacedTexts, readContent } from '../placed-texts.ts'

/** The system text, and messages of the system in mid-conversation. Its vendor reads tools first, then the system text. */
export function instructions(body: JsonObject): readonly Instruction[] {
  const texts = new PlacedTexts<Instruction>()
  const said = (text: PlacedText): Instruction => text
  readContent(body.system, ['system'], texts, said)
  const passing = mayDropTurns(body)
  const inTurn = (text: PlacedText): Instruction => (passing ? { ...text, passing } : text)
  for (const [at, message] of listOf(body.messages).entries()) {
    if (!isObject(message)) continue
    readContent(message.content, ['messages', at, 'content'], texts, message.role === 'system' ? inTurn : undefined)
  }
  texts.pass(body)
  return texts.all
}

/** The texts of its `tool_result` blocks. */
export function toolResults(body: JsonObject): readonly ToolResultText[] {
  if (mayDropTurns(body)) return []
  const texts = new PlacedTexts<ToolResultText>()
  const tools = new Map<unknown, string>()
  for (const [at, message] of listOf(body.messages).entries()) {
    const blocks = isObject(message) ? listOf(message.content) : []
    for (const [place, block] of blocks.entries()) {
      if (!isObject(block)) continue
      const { type, id, name, tool_use_id: call } = block
      if (type === 'tool_use' && typeof name === 'string') tools.set(id, name)
      if (type === 'tool_result' && typeof call === 'string')
        readContent(block.content, ['messages', at, 'content', place, 'content'], texts, text => ({
          ...text,
          call,
          tool: tools.get(call),
        }))
      texts.pass(block)
    }
  }
  texts.pass(body)
  return texts.all
}
