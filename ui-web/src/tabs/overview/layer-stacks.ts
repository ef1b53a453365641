import type { Endpoints } from '../../api/endpoints.ts'
import { ANSWERED_HERE, LAYER_ORDER, labelOf, layerColour, layerName } from '../../ui/layers.ts'
import type { Stack } from '../../ui/stack.ts'

type Point = Endpoints['GET /api/admin/usage/timeline']['answer']['points'][number]

/** Where a request is counted that nobody answered, whichever layer it had reached. */
const UNANSWERED = 'unanswered'

/** Who answers without a vendor lies at the bottom, so that its top is the deflection rate. */
const BOTTOM_UP = ['l1a', 'l1b', 'l2', 'l3', 'l0', UNANSWERED]

const rank = (label: string): number => {
  const known = BOTTOM_UP.indexOf(label)
  return known >= 0 ? known : BOTTOM_UP.length + Math.max(0, LAYER_ORDER.indexOf(label))
}

/** Requests by the layer that answered, in each of the bars that begin at `times`, in seconds since 1970. */
export function layerStacks(points: readonly Point[], times: readonly number[]): readonly Stack[] {
  const places = new Map(times.map((time, at) => [time, at]))
  const byLabel = new Map<string, number[]>()
  const add = (label: string, start: string, requests: number): void => {
    const at = places.get(Date.parse(start) / 1000)
    if (at === undefined || requests === 0) return
    const values = byLabel.get(label) ?? times.map(() => 0)
    byLabel.set(label, values)
    values[at] = (values[at] ?? 0) + requests
  }
  for (const { start, name, requests_total, failed_total } of points) {
    add(labelOf(name), start, requests_total - failed_total)
    add(UNANSWERED, start, failed_total)
  }
  return [...byLabel]
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([label, values]) => ({
      ...lookOf(label),
      values,
    }))
}

function lookOf(label: string): Pick<Stack, 'name' | 'colour'> {
  if (label === UNANSWERED) return { name: 'Refused or failed', colour: layerColour('l0') }
  return label === 'l0' ? ANSWERED_HERE : { name: layerName(label), colour: layerColour(label) }
}

export const sumOf = ({ values }: Stack): number => values.reduce((sum, value) => sum + value, 0)

/** The same as parts of each bar. */
export function shares(stacks: readonly Stack[]): readonly Stack[] {
  const [first] = stacks
  const totals = first?.values.map((_, at) => stacks.reduce((sum, { values }) => sum + (values[at] ?? 0), 0)) ?? []
  return stacks.map(stack => ({
    ...stack,
    values: stack.values.map((value, at) => (totals[at] ? value / totals[at] : 0)),
  }))
}
