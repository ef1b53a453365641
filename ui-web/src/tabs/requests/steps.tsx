import { milliseconds } from '../../ui/human.ts'
import { TableFrame } from '../../ui/table-frame.tsx'
import { NeighbourLink } from './neighbour.tsx'
import { outcomeOf, type Step } from './outcomes.ts'

const hookOf = ({ hook, attempt }: Step): string => (attempt === undefined ? hook : `${hook} ${attempt}`)

/** Neighbours that had nothing to say are one line. */
function linesOf(trail: readonly Step[]): readonly Step[] {
  const lines: Step[] = []
  for (const step of trail) {
    const before = lines.at(-1)
    if (before?.outcome === 'passed' && step.outcome === 'passed' && hookOf(before) === hookOf(step))
      lines[lines.length - 1] = { ...before, layer: `${before.layer}, ${step.layer}`, ms: before.ms + step.ms }
    else lines.push(step)
  }
  return lines
}

/** The way of a request through the layers, in order. */
export function Steps({ trail }: { readonly trail: readonly Step[] }) {
  const longest = Math.max(0.001, ...trail.map(({ ms }) => ms))
  return (
    <section className="story-part">
      <h3>Way through the layers</h3>
      {trail.length === 0 ? (
        <p className="muted">It met no layer.</p>
      ) : (
        <TableFrame label="Way through the layers">
          <table>
            <thead>
              <tr>
                <th scope="col">Step</th>
                <th scope="col">Layer</th>
                <th scope="col">What it did</th>
                <th scope="col" className="number">
                  Took
                </th>
                <td className="story-bars" />
              </tr>
            </thead>
            <tbody>
              {linesOf(trail).map((step, at) => (
                <tr key={at}>
                  <td className="muted">{hookOf(step)}</td>
                  <td className="story-layers">{step.layer}</td>
                  <td>
                    <Outcome step={step} />
                  </td>
                  <td className="number">{milliseconds(step.ms)}</td>
                  <td className="story-bars" aria-hidden="true">
                    <svg width="100%" height="8" aria-hidden="true">
                      <rect width={`${(100 * step.ms) / longest}%`} height="8" rx="2" fill="var(--series-2)" />
                    </svg>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableFrame>
      )}
    </section>
  )
}

function Outcome({ step }: { readonly step: Step }) {
  const { words, tone } = outcomeOf(step)
  return (
    <>
      <span className={tone}>{words}</span> {step.neighbour && <NeighbourLink neighbour={step.neighbour} />}
    </>
  )
}
