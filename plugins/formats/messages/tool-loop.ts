/**
 * The first turn of the tool loop that the last turn brings results for; `undefined` where none is open. A model that
 * does not think between its calls says its reasoning there, and only there.
 */
export function loopStart<T>(
  turns: readonly T[],
  isAssistants: (turn: T) => boolean,
  hasResults: (turn: T) => boolean,
): T | undefined {
  const last = turns.at(-1)
  if (last === undefined || isAssistants(last)) return undefined
  let first: T | undefined
  for (const turn of turns.toReversed()) {
    if (isAssistants(turn)) first = turn
    else if (!hasResults(turn)) break
  }
  return first
}
