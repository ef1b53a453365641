import { useAnswer } from '../../api/answers.ts'
import { useFilter } from '../../shell/place.ts'
import { Choice } from '../../ui/choice.tsx'
import { Failure, Skeleton } from '../../ui/notices.tsx'
import { Breakdown } from './breakdown.tsx'
import { hoursOf, isPeriod, PERIODS, type Period } from './periods.ts'
import { Quotas } from './quotas.tsx'
import { SpendingChart } from './spending-chart.tsx'
import { Sums } from './sums.tsx'
import './usage.css'

/** What requests cost and saved, of whom, and how far the limits are. */
export function UsageTab() {
  const [given, setPeriod] = useFilter('period')
  const period: Period = isPeriod(given) ? given : 'week'
  const hours = hoursOf(period, new Date())
  const usage = useAnswer('GET /api/admin/usage', { query: { hours } }, 10_000)
  return (
    <>
      <div className="screen-head">
        <h1>Usage</h1>
        <Choice label="Window" options={PERIODS} chosen={period} choose={setPeriod} />
      </div>
      <Failure error={usage.error} stale={usage.data !== undefined} retry={() => void usage.refresh()} />
      {usage.data ? (
        <>
          <Sums usage={usage.data} period={period} />
          {usage.data.total_requests === 0 ? (
            <p className="empty">Nothing was asked {period === 'today' ? 'today' : 'in this window'}.</p>
          ) : (
            <SpendingChart period={period} hours={usage.data.window_hours} />
          )}
          <Quotas />
          {usage.data.total_requests > 0 && (
            <Breakdown period={period} hours={hours} requests={usage.data.total_requests} />
          )}
        </>
      ) : (
        !usage.error && (
          <Skeleton>
            <div className="usage-waiting">…</div>
          </Skeleton>
        )
      )}
    </>
  )
}
