import type { Reasoning } from 'deflector'
import { z } from 'zod'

export type Effort = NonNullable<Reasoning['effort']>

/** The words for how hard a model shall think, the same in all dialects. */
export const effortSchema = z.enum(['minimal', 'low', 'medium', 'high', 'xhigh', 'max'])

/** The word for a number of tokens to think, where a dialect or a model has only words. */
export const effortOf = (budget: number): Effort => (budget <= 2048 ? 'low' : budget <= 16_384 ? 'medium' : 'high')
