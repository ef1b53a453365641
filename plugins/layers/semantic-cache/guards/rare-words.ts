import { rarestLeftOut } from '../features.ts'
import type { Guard } from './guard.ts'

/** Words of fewer than about one line in 150 name what a prompt is about. */
const RARE = 5

/**
 * A rare word on each side that the other lacks: two different things, however alike the sentences around them. It also
 * turns away prompts that were made to lie near another one without sharing its words.
 */
export const rareWords: Guard = (a, b) => {
  const [left, right] = rarestLeftOut(a, b)
  return left >= RARE && right >= RARE ? 'things' : undefined
}
