import { isObject, type JsonObject } from 'deflector'

const CALLS = ['functionCall', 'functionResponse', 'function_call', 'function_response'] as const

/** The contents without the ids of calls and their results; `undefined` when there are none. */
export function withoutIds(contents: unknown): unknown[] | undefined {
  if (!Array.isArray(contents)) return undefined
  let changed = false
  const bare = (part: unknown): unknown => {
    if (!isObject(part)) return part
    const out: JsonObject = { ...part }
    for (const name of CALLS) {
      const call = part[name]
      if (!isObject(call) || !('id' in call)) continue
      const { id: _, ...rest } = call
      out[name] = rest
      changed = true
    }
    return out
  }
  const out = contents.map((turn: unknown) =>
    isObject(turn) && Array.isArray(turn.parts) ? { ...turn, parts: turn.parts.map(bare) } : turn,
  )
  return changed ? out : undefined
}
