import { NeighbourLink } from './neighbour.tsx'
import { type OutcomeWords, outcomeOf } from './outcomes.ts'
import type { StoryAnswer } from './story-answer.ts'

interface NotedMiss extends OutcomeWords {
  readonly layer: string
}

const OTHERS = new Set(['passed', 'answered', 'failed'])

/** Why each cache had no answer, as it noted when the request came. */
export const missesIn = ({ trail = [] }: Pick<StoryAnswer, 'trail'>): readonly NotedMiss[] =>
  trail.flatMap(({ hook, layer, outcome }) =>
    hook === 'answer' && !OTHERS.has(outcome) ? [{ layer, ...outcomeOf(outcome) }] : [],
  )

export function NotedMisses({ misses }: { readonly misses: readonly NotedMiss[] }) {
  if (misses.length === 0) return null
  return (
    <>
      <h3>When it came</h3>
      <ul className="story-misses">
        {misses.map(({ layer, words, tone, neighbour }) => (
          <li key={layer}>
            <b>{layer}</b> <span className={tone}>{words}</span> {neighbour && <NeighbourLink neighbour={neighbour} />}
          </li>
        ))}
      </ul>
    </>
  )
}
