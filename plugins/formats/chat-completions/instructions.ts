import { type Instruction, isObject, type JsonObject, type PlacedText, type ToolResultText } from 'deflector'
import { listOf, mayDropTurns, PlacedTexts, readContent } from '../placed-texts.ts'

const ROLES: readonly unknown[] = ['system', 'developer']

/** What its system and developer messages say. */
export function instructions(body: JsonObject): readonly Instruction[] {
  const texts = new PlacedTexts<Instruction>()
  const passing = mayDropTurns(body)
  const said = (text: PlacedText): Instruction => (passing ? { ...text, passing } : text)
  for (const [at, message] of listOf(body.messages).entries()) {
    if (!isObject(message)) continue
    const made = ROLES.includes(message.role) ? said : undefined
    readContent(message.content, ['messages', at, 'content'], texts, made)
    texts.pass(message)
  }
  texts.pass(body)
  return texts.all
}

/** What its tools gave back. */
export function toolResults(body: JsonObject): readonly ToolResultText[] {
  if (mayDropTurns(body)) return []
  const texts = new PlacedTexts<ToolResultText>()
  const tools = new Map<unknown, string>()
  for (const [at, message] of listOf(body.messages).entries()) {
    if (!isObject(message)) continue
    for (const call of listOf(message.tool_calls)) {
      const named = isObject(call) ? (call.function ?? call.custom) : undefined
      if (isObject(call) && isObject(named) && typeof named.name === 'string') tools.set(call.id, named.name)
    }
    const { tool_call_id: call } = message
    const isResult = message.role === 'tool' && typeof call === 'string'
    const made = isResult ? (text: PlacedText) => ({ ...text, call, tool: tools.get(call) }) : undefined
    readContent(message.content, ['messages', at, 'content'], texts, made)
    texts.pass(message)
  }
  texts.pass(body)
  return texts.all
}
