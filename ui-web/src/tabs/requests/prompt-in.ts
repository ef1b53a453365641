/** The question in a logged body, whatever dialect it is in. */

interface PromptIn {
  readonly text: string
  /** There are other turns, or a system prompt. */
  readonly partial: boolean
}

/** The text of the last turn; `undefined` where the body has none, or is cut. */
export function promptIn(body: string | null | undefined): PromptIn | undefined {
  const request = parsed(body)
  if (!isObject(request)) return undefined
  const turns = [request.messages, request.contents, request.input].find(Array.isArray)
  const text = textOf(turns ? turns.at(-1) : (request.prompt ?? request.input))
  if (text.trim() === '') return undefined
  const instructed = ['system', 'instructions', 'systemInstruction'].some(name => request[name] !== undefined)
  return { text, partial: instructed || (turns?.length ?? 1) > 1 }
}

/** A string, a list of parts, or what holds one of them. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join('\n')
  if (!isObject(value)) return ''
  return textOf(value.content ?? value.parts ?? value.text)
}

function parsed(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
