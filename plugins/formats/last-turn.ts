import { isObject, type JsonObject, type LastTurn } from 'deflector'

/** Where the turns of a dialect are, and how a text is told from other content. */
export interface TurnPlace {
  /** The list of turns in a body. */
  readonly turns: string
  /** The field of a turn that holds its text, or a list of blocks. */
  readonly content: string
  /** The `type` of a text block; `undefined` where text blocks have none. */
  readonly textType: string | undefined
}

/**
 * Takes the text of the last turn out of a list of turns. `undefined` where that turn is not one user's plain text and
 * nothing else.
 */
export function lastTurnIn(body: JsonObject, { turns, content, textType }: TurnPlace): LastTurn | undefined {
  const list = body[turns]
  const last = lastOf(list)
  if (!Array.isArray(list) || !isObject(last) || (last.role ?? 'user') !== 'user') return undefined
  const text = textOf(last[content], textType)
  if (text === undefined) return undefined
  return { text, rest: { ...body, [turns]: [...list.slice(0, -1), { ...last, [content]: '' }] } }
}

export const lastOf = (list: unknown): unknown => (Array.isArray(list) ? list.at(-1) : undefined)

/** A string, or a list of one block that is text and nothing else. */
function textOf(content: unknown, type: string | undefined): string | undefined {
  if (typeof content === 'string') return content
  const [block] = Array.isArray(content) && content.length === 1 ? content : []
  if (!isObject(block) || typeof block.text !== 'string' || block.type !== type) return undefined
  return Object.keys(block).every(name => name === 'type' || name === 'text' || name === 'cache_control')
    ? block.text
    : undefined
}
