import type { TierWords } from '../tier-words.ts'

/** What is asked for. */
export const TIERS: TierWords = { auto: 'auto', default: 'standard_only' }

/** What an answer was counted in. */
export const ANSWER_TIERS: TierWords = { default: 'standard', priority: 'priority' }
