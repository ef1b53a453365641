import type { Step } from './outcomes.ts'
import type { StoryAnswer } from './story-answer.ts'

const OTHERS = new Set(['passed', 'answered', 'failed'])

/** Why each cache had no answer, as it noted when the request came. */
export const missesIn = ({ trail = [] }: Pick<StoryAnswer, 'trail'>): readonly Step[] =>
  trail.filter(({ hook, outcome, cache }) => cache === true && hook === 'answer' && !OTHERS.has(outcome))
