import { useAnswer } from '../../api/answers.ts'
import type { Answer } from '../../api/ask.ts'
import { useFilter } from '../../shell/place.ts'
import { barTimes } from '../../ui/chart-times.ts'
import { Choice } from '../../ui/choice.tsx'
import { count, usd } from '../../ui/human.ts'
import { Failure, Skeleton } from '../../ui/notices.tsx'
import type { Stack } from '../../ui/stack.ts'
import { StackedBars } from '../../ui/stacked-bars.tsx'
import { type Period, SPOKEN, STEPS } from './periods.ts'

const MEASURES = { cost: 'Cost', tokens: 'Tokens' } as const
type Measure = keyof typeof MEASURES
type Point = Answer<'GET /api/admin/usage/timeline'>['points'][number]

/** What was spent, and on top of it what deflection saved, over time. `hours`: as many as the books have. */
export function SpendingChart({ period, hours }: { readonly period: Period; readonly hours: number }) {
  const [given, setMeasure] = useFilter('chart')
  const measure: Measure = given === 'tokens' ? 'tokens' : 'cost'
  const step = STEPS[period]
  const timeline = useAnswer('GET /api/admin/usage/timeline', { query: { hours, by: 'model', step } }, 10_000)
  const times = barTimes(hours, step, timeline.at ?? 0)
  return (
    <section className="part">
      <div className="part-head">
        <h2>Spent and saved</h2>
        <Choice<Measure> label="Measure" options={MEASURES} chosen={measure} choose={setMeasure} />
      </div>
      <Failure error={timeline.error} stale={timeline.data !== undefined} retry={() => void timeline.refresh()} />
      {timeline.data ? (
        <StackedBars
          caption={`${MEASURES[measure]}, spent and saved, ${SPOKEN[period]}`}
          times={times}
          stepSeconds={step * 3600}
          stacks={stacksOf(timeline.data.points, times, measure)}
          format={measure === 'cost' ? usd : count}
          continuous={measure === 'cost'}
          totalOf={({ values }) => {
            const sum = values.reduce((all, value) => all + value, 0)
            return measure === 'cost' ? usd(sum) : count(sum)
          }}
        />
      ) : (
        <Skeleton>
          <div className="chart-frame">…</div>
        </Skeleton>
      )}
    </section>
  )
}

function stacksOf(points: readonly Point[], times: readonly number[], measure: Measure): readonly Stack[] {
  const places = new Map(times.map((time, at) => [time, at]))
  const [spent, saved] = [times.map(() => 0), times.map(() => 0)]
  for (const point of points) {
    const at = places.get(Date.parse(point.start) / 1000)
    if (at === undefined) continue
    const isCost = measure === 'cost'
    spent[at] = (spent[at] ?? 0) + ((isCost ? point.estimated_cost_usd : point.total_tokens) ?? 0)
    saved[at] = (saved[at] ?? 0) + ((isCost ? point.estimated_saved_cost_usd : point.saved_tokens) ?? 0)
  }
  return [
    { name: measure === 'cost' ? 'Spent' : 'Used', colour: '--series-rest', values: spent },
    { name: 'Saved', colour: '--series-1', values: saved },
  ]
}
