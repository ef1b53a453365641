import type { StoryAnswer } from './story-answer.ts'

export type Step = NonNullable<StoryAnswer['trail']>[number]

type Tone = 'good' | 'warn' | 'bad' | 'muted'

/** Outcomes that any layer may have. */
const PLAIN = new Map<string, readonly [words: string, tone: Tone | undefined]>([
  ['answered', ['Answered', 'good']],
  ['passed', ['Passed it on', 'muted']],
  ['failed', ['Failed', 'bad']],
  ['hit', ['Had a hit', 'good']],
  /** See `limit-refusals.ts`. */
  ['refused', ['Refused: a limit has no room for it', 'bad']],
])

const TONES = new Map<string, Tone>([
  ['stored', 'good'],
  ['store_failed', 'bad'],
  ['stale', 'warn'],
])

/** What a layer did, in its own words where it has some, else as it noted it. */
export function outcomeOf({ outcome, words }: Pick<Step, 'outcome' | 'words'>) {
  const [plain, tone] = PLAIN.get(outcome) ?? [words === undefined ? outcome : capitalised(words), TONES.get(outcome)]
  return { words: plain, tone }
}

const capitalised = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
