import { useAnswer } from '../../api/answers.ts'
import { useFilter } from '../../shell/place.ts'
import { barTimes } from '../../ui/chart-times.ts'
import { Choice } from '../../ui/choice.tsx'
import { count, share } from '../../ui/human.ts'
import { Failure, Skeleton } from '../../ui/notices.tsx'
import { StackedBars } from '../../ui/stacked-bars.tsx'
import { layerStacks, shares, sumOf } from './layer-stacks.ts'
import { SPOKEN, STEPS, type Window } from './windows.ts'

const KINDS = { requests: 'Requests', share: 'Share' } as const

/** Which layer answered, over time. */
export function DeflectionChart({ hours }: { readonly hours: Window }) {
  const [given, setKind] = useFilter('chart')
  const kind = given === 'share' ? 'share' : 'requests'
  const step = STEPS[hours]
  const query = { hours: Number(hours), by: 'layer', step } as const
  const timeline = useAnswer('GET /api/admin/usage/timeline', { query }, 10_000)
  const head = (
    <div className="part-head">
      <h2>Answered by layer</h2>
      <Choice label="Chart" options={KINDS} chosen={kind} choose={setKind} />
    </div>
  )
  if (!timeline.data)
    return (
      <section className="part">
        {head}
        <Failure error={timeline.error} stale={false} retry={() => void timeline.refresh()} />
        <Skeleton>
          <div className="chart-frame">…</div>
        </Skeleton>
      </section>
    )
  const times = barTimes(Number(hours), step, timeline.at ?? 0)
  const counted = layerStacks(timeline.data.points, times)
  const total = counted.reduce((sum, stack) => sum + sumOf(stack), 0)
  const isShare = kind === 'share'
  return (
    <section className="part">
      {head}
      <StackedBars
        caption={`Requests by the layer that answered, ${SPOKEN[hours]}`}
        times={times}
        stepSeconds={step * 3600}
        stacks={isShare ? shares(counted) : counted}
        format={isShare ? share : count}
        totalOf={stack => {
          const sum = sumOf(counted.find(({ name }) => name === stack.name) ?? stack)
          return isShare ? share(total === 0 ? 0 : sum / total) : count(sum)
        }}
        {...(isShare && { most: 1 })}
      />
    </section>
  )
}
