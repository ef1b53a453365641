import { type Instruction, isObject, type JsonObject, type ToolResultText } from 'deflector'
import { listOf } from '../placed-texts.ts'

/** Both spellings are in use. */
const SYSTEM = ['systemInstruction', 'system_instruction'] as const
const RESULT = ['functionResponse', 'function_response'] as const

/** The texts of the system instruction. */
export function instructions(body: JsonObject): readonly Instruction[] {
  const name = SYSTEM.find(field => body[field] !== undefined)
  const given = name === undefined ? undefined : body[name]
  if (name === undefined) return []
  if (typeof given === 'string') return [{ path: [name], text: given }]
  const parts = isObject(given) ? listOf(given.parts) : []
  return [...parts.entries()].flatMap(([at, part]) =>
    isObject(part) && typeof part.text === 'string' && part.thought !== true
      ? [{ path: [name, 'parts', at, 'text'], text: part.text }]
      : [],
  )
}

/** The texts in what its functions gave back, which is an object each. A call without an id is named by its place. */
export function toolResults({ contents }: JsonObject): readonly ToolResultText[] {
  const texts: ToolResultText[] = []
  for (const [at, content] of listOf(contents).entries()) {
    const parts = isObject(content) ? listOf(content.parts) : []
    for (const [place, part] of parts.entries()) {
      const field = isObject(part) ? RESULT.find(name => isObject(part[name])) : undefined
      const result = isObject(part) && field !== undefined ? part[field] : undefined
      if (field === undefined || !isObject(result) || !isObject(result.response)) continue
      const tool = typeof result.name === 'string' ? result.name : undefined
      const call = typeof result.id === 'string' ? result.id : `in turn ${at + 1}`
      for (const [key, text] of Object.entries(result.response))
        if (typeof text === 'string')
          texts.push({ path: ['contents', at, 'parts', place, field, 'response', key], text, call, tool })
    }
  }
  return texts
}
