import { type Artifact, type Example, type Figures, Heads, partOf } from 'deflector/heads'
import { table } from '../../../ui-tui/text-table.ts'

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

/** Accuracy, calibration and confusion of each head. Rows are true labels, columns given ones. */
export function figureLines(figures: Readonly<Record<string, Figures>>, heads: Artifact['heads']): string[] {
  return Object.entries(figures).flatMap(([name, { accuracy, calibration_error, confusion }]) => {
    const labels = heads[name]?.labels ?? []
    const rows = confusion.map((row, at) => [labels[at] ?? '', ...row.map(String)])
    return [
      `${name}: ${percent(accuracy)} right, confidence off by ${percent(calibration_error)}`,
      ...table([['', ...labels], ...rows]).map(line => `  ${line}`),
      '',
    ]
  })
}

/** The default of `classifier_routing.confidence_threshold`. */
const THRESHOLD = 0.55
/** A route is right when these heads are. */
const ROUTING = ['complexity', 'task_type']

/** What the held-out part would be routed to at the default threshold; nothing for artifacts without those heads. */
export function routingLine(artifact: Artifact, examples: readonly Example[], seed?: number): string[] {
  if (!ROUTING.every(head => Object.hasOwn(artifact.heads, head))) return []
  const heads = new Heads(artifact)
  const held = seed === undefined ? examples : examples.filter(({ prompt }) => partOf(prompt, seed) === 'held_out')
  const results = held.map(example => ({ example, ...heads.classify(example.vector, example.prompt) }))
  const routed = results.filter(({ overallConfidence }) => overallConfidence >= THRESHOLD)
  const right = routed.filter(({ example, heads: found }) =>
    ROUTING.every(head => found[head]?.label === example.labels[head]),
  )
  const share = percent(routed.length / Math.max(1, held.length))
  const sure = percent(right.length / Math.max(1, routed.length))
  return [`at confidence ${THRESHOLD}: ${share} routed, of these ${sure} right in ${ROUTING.join(' and ')}`]
}
