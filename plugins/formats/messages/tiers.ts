import type { TierWords } from '../tier-words.ts'

export const TIERS: TierWords = { auto: 'auto', default: 'standard_only' }
