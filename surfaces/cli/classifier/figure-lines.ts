import { type Artifact, type Example, type Figures, type Heads, routedOf } from 'deflector/heads'
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

/** What of these examples would be routed at the default threshold; nothing for artifacts without those heads. */
export function routingLine(heads: Heads, examples: readonly Example[]): string[] {
  if (!ROUTING.every(head => Object.hasOwn(heads.labels, head))) return []
  const { routed, right } = routedOf(heads, examples, { threshold: THRESHOLD, wanted: ROUTING })
  const share = percent(routed / Math.max(1, examples.length))
  const sure = percent(right / Math.max(1, routed))
  return [`at confidence ${THRESHOLD}: ${share} routed, of these ${sure} right in ${ROUTING.join(' and ')}`]
}
