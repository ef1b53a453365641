import type { Guard } from './guard.ts'

/** A prompt this many times as long as another one says more than it. */
const RATIO = 3.5
/** Short prompts double easily. */
const SHORT = 8

/** A long prompt tells a story whose question only begins where the short one ends. */
export const size: Guard = (a, b) => {
  const [mine, theirs] = [a.tokens.length, b.tokens.length]
  const [short, long] = mine <= theirs ? [mine, theirs] : [theirs, mine]
  return long > SHORT && long > RATIO * short ? 'size' : undefined
}
