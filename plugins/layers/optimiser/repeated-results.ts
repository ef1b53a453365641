import type { ToolResultText } from 'deflector'

/** Characters of a result below which a pointer would save next to nothing. */
const LEAST = 400

/** A result that the model has in full further up. */
export interface Repeat extends ToolResultText {
  /** What its session remembers it by. */
  readonly name: string
  /** What may stand in its place. */
  readonly pointer: string
}

/** Each depends on what stands before it alone, so a conversation that goes on keeps its beginning. */
export function repeats(results: readonly ToolResultText[]): readonly Repeat[] {
  const first = new Map<string, ToolResultText>()
  return results.flatMap(result => {
    const { text, call } = result
    const earlier = first.get(text)
    if (text.length >= LEAST && !earlier) first.set(text, result)
    const pointer = earlier && pointerTo(earlier)
    // Ids may hold what a vendor signed, and be longer than what is repeated.
    return pointer && pointer.length < text.length ? [{ ...result, name: `result ${call}`, pointer }] : []
  })
}

const pointerTo = ({ call, tool = 'a tool', text }: ToolResultText): string =>
  `[The same output as that of the earlier call ${call} of ${tool}, ${text.length} characters, which is given above in full.]`
