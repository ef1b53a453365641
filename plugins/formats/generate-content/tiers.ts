import type { TierWords } from '../tier-words.ts'

export const TIERS: TierWords = { default: 'standard', flex: 'flex', priority: 'priority' }
