import { isObject, type JsonObject, type Tool } from 'deflector'

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
