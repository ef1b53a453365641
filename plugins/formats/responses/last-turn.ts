import { isObject, type JsonObject, type LastTurn } from 'deflector'
import { lastOf, lastTurnIn } from '../last-turn.ts'

/** `input` is a text, or a list of items that need not be messages. */
export function lastTurn(body: JsonObject): LastTurn | undefined {
  const { input } = body
  if (typeof input === 'string') return { text: input, rest: { ...body, input: '' } }
  const last = lastOf(input)
  if (!isObject(last) || (last.type ?? 'message') !== 'message') return undefined
  return lastTurnIn(body, { turns: 'input', content: 'content', textType: 'input_text' })
}
