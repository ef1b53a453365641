/**
 * A cap of `tokens` for each of so many answers, as a client's body has it; `undefined` where there is none, or none that
 * is a number.
 */
export const outputCap = (tokens: unknown, answers = 1): number | undefined =>
  typeof tokens === 'number' && tokens >= 0 ? tokens * answers : undefined

/** No vendor gives more answers to one request (OpenAI: 128). */
const MOST_ANSWERS = 128

/** The answers that a body asks for by a member such as `n`. */
export const answersOf = (choices: unknown): number =>
  typeof choices === 'number' && choices > 1 ? Math.min(Math.ceil(choices), MOST_ANSWERS) : 1
