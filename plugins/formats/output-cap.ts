/**
 * A cap of `tokens` for each of `choices` answers, as a client's body has them; `undefined` where there is none, or none
 * that is a number.
 */
export function outputCap(tokens: unknown, choices: unknown = 1): number | undefined {
  if (typeof tokens !== 'number' || !(tokens >= 0)) return undefined
  return typeof choices === 'number' && choices > 1 ? tokens * choices : tokens
}
