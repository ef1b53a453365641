import { NeighbourLink } from './neighbour.tsx'
import { outcomeOf, type Step } from './outcomes.ts'

export function NotedMisses({ misses }: { readonly misses: readonly Step[] }) {
  if (misses.length === 0) return null
  return (
    <>
      <h3>When it came</h3>
      <ul className="story-misses">
        {misses.map(step => {
          const { words, tone } = outcomeOf(step)
          return (
            <li key={step.layer}>
              <b>{step.layer}</b> <span className={tone}>{words}</span>{' '}
              {step.neighbour && <NeighbourLink neighbour={step.neighbour} />}
            </li>
          )
        })}
      </ul>
    </>
  )
}
