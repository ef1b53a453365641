import { isObject, type JsonObject } from 'deflector'

/** What the user said last, and the body without it. */
export interface LastTurn {
  readonly text: string
  /** The same body with an empty text in that place. */
  readonly rest: JsonObject
}

/**
 * Takes the text of the last user turn out of a body of any dialect: native `prompt`, `messages`, generate-content's
 * `contents`, responses' `input`. `undefined` where the last turn is not one user's plain text and nothing else.
 */
export function lastTurn(body: JsonObject): LastTurn | undefined {
  const { prompt, messages, contents, input } = body
  const places = [prompt, messages, contents, input].filter(place => place !== undefined)
  if (places.length !== 1) return undefined
  if (typeof prompt === 'string') return { text: prompt, rest: { ...body, prompt: '' } }
  if (typeof input === 'string') return { text: input, rest: { ...body, input: '' } }
  if (Array.isArray(messages)) return inList(body, 'messages', messages, 'content')
  if (Array.isArray(contents)) return inList(body, 'contents', contents, 'parts')
  return Array.isArray(input) ? inList(body, 'input', input, 'content') : undefined
}

function inList(body: JsonObject, key: string, turns: readonly unknown[], field: string): LastTurn | undefined {
  const last = turns.at(-1)
  if (!isObject(last) || (last.role ?? 'user') !== 'user' || (last.type ?? 'message') !== 'message') return undefined
  const text = textOf(last[field])
  if (text === undefined) return undefined
  return { text, rest: { ...body, [key]: [...turns.slice(0, -1), { ...last, [field]: '' }] } }
}

const TEXT_TYPES: ReadonlySet<unknown> = new Set([undefined, 'text', 'input_text'])

/** A string, or a list of one block that is text and nothing else. */
function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  const [block] = Array.isArray(content) && content.length === 1 ? content : []
  if (!isObject(block) || typeof block.text !== 'string' || !TEXT_TYPES.has(block.type)) return undefined
  return Object.keys(block).every(name => name === 'type' || name === 'text' || name === 'cache_control')
    ? block.text
    : undefined
}
