import { useAnswer } from '../../api/answers.ts'
import { count, share } from '../../ui/human.ts'
import { LAYER_ORDER, labelOf, layerColour, layerName } from '../../ui/layers.ts'
import { Swatch } from '../../ui/stacked-bars.tsx'
import type { Window } from './windows.ts'

const STATES = { active: 'Active', disabled: 'Off', degraded: 'Degraded', no_credential: 'No credential' } as const
const TONES = { active: 'good', disabled: 'muted', degraded: 'bad', no_credential: 'warn' } as const

/** Who only lets requests in or changes them answers none. */
const ANSWERING = new Set(['l1a', 'l1b', 'l2', 'l3'])

/** How each layer is, and how much of the traffic it answered. */
export function LayerTable({ hours }: { readonly hours: Window }) {
  const health = useAnswer('GET /health', {}, 10_000)
  const breakdown = useAnswer(
    'GET /api/admin/usage/breakdown',
    { query: { hours: Number(hours), by: 'layer' } },
    10_000,
  )
  const answered = new Map<string, number>()
  for (const row of breakdown.data?.rows ?? []) {
    const label = labelOf('layer' in row ? String(row.layer) : '')
    answered.set(label, (answered.get(label) ?? 0) + row.requests_total - row.failed_total)
  }
  const total = breakdown.data?.rows.reduce((sum, row) => sum + row.requests_total, 0) ?? 0
  const layers = health.data?.layers ?? {}
  const isStale = health.error !== undefined || breakdown.error !== undefined
  // Nothing is known, and an empty table would say that there are no layers.
  if (isStale && !health.data) return null
  return (
    <section className="part">
      <div className="part-head">
        <h2>Layers</h2>
        {isStale && <span className="muted small">as last known</span>}
      </div>
      <table>
        <thead>
          <tr>
            <th scope="col">Layer</th>
            <th scope="col">State</th>
            <th scope="col" className="number">
              Answered
            </th>
            <th scope="col" className="number">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          {LAYER_ORDER.flatMap(label => {
            const state = layers[label]
            const requests = answered.get(label) ?? 0
            const shown = ANSWERING.has(label)
            return state === undefined
              ? []
              : [
                  <tr key={label}>
                    <td>
                      {shown && <Swatch colour={layerColour(label)} />} {layerName(label)}
                    </td>
                    <td className={isStale ? 'muted' : TONES[state]}>{STATES[state]}</td>
                    <td className="number">{shown ? (breakdown.data ? count(requests) : '–') : ''}</td>
                    <td className="number">{shown && total > 0 ? share(requests / total) : ''}</td>
                  </tr>,
                ]
          })}
        </tbody>
      </table>
    </section>
  )
}
