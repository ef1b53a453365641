import { type Instruction, isObject, type JsonObject, type PlacedText, type ToolResultText } from 'deflector'
import { listOf, mayDropTurns, PlacedTexts, readContent } from '../placed-texts.ts'

const ROLES: readonly unknown[] = ['system', 'developer']

/** `instructions`, which hold for one request alone, and the system and developer messages of the input. */
export function instructions(body: JsonObject): readonly Instruction[] {
  const texts = new PlacedTexts<Instruction>()
  if (typeof body.instructions === 'string')
    texts.add({ path: ['instructions'], text: body.instructions, passing: true })
  const passing = mayDropTurns(body)
  const said = (text: PlacedText): Instruction => (passing ? { ...text, passing } : text)
  for (const [at, item] of listOf(body.input).entries()) {
    if (!isObject(item)) continue
    const made = ROLES.includes(item.role) ? said : undefined
    readContent(item.content, ['input', at, 'content'], texts, made)
    texts.pass(item)
  }
  texts.pass(body)
  return texts.all
}

const RESULTS: readonly unknown[] = ['function_call_output', 'custom_tool_call_output']

/** What its tools gave back. */
export function toolResults(body: JsonObject): readonly ToolResultText[] {
  if (mayDropTurns(body)) return []
  const { input } = body
  const texts = new PlacedTexts<ToolResultText>()
  const tools = new Map<unknown, string>()
  for (const [at, item] of listOf(input).entries()) {
    if (!isObject(item)) continue
    const { type, name, call_id: call } = item
    if (typeof name === 'string') tools.set(call, name)
    if (RESULTS.includes(type) && typeof call === 'string')
      readContent(item.output, ['input', at, 'output'], texts, text => ({ ...text, call, tool: tools.get(call) }))
    texts.pass(item)
  }
  texts.pass(body)
  return texts.all
}
