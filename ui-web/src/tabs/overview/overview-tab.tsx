import { useState } from 'react'
import { useAnswer } from '../../api/answers.ts'
import { useLive } from '../../api/live.ts'
import { useFilter } from '../../shell/place.ts'
import { Choice } from '../../ui/choice.tsx'
import { Failure } from '../../ui/notices.tsx'
import { CacheTable } from './cache-table.tsx'
import { DeflectionChart } from './deflection-chart.tsx'
import { Feed } from './feed.tsx'
import { FirstSteps } from './first-steps.tsx'
import { LayerTable } from './layer-table.tsx'
import { ProcessFacts } from './process-facts.tsx'
import { Savings } from './savings.tsx'
import { isWindow, WINDOWS } from './windows.ts'
import './overview.css'

const FEED_LENGTH = 50
/** All that a gateway keeps by default, in hours. */
const EVER = 31 * 24

/** What the gateway saved, how it is, and what it decides right now. */
export function OverviewTab() {
  const [given, setHours] = useFilter('hours')
  const hours = given !== undefined && isWindow(given) ? given : '168'
  const usage = useAnswer('GET /api/admin/usage', { query: { hours: Number(hours) } }, 5000)
  const ever = useAnswer('GET /api/admin/usage', { query: { hours: EVER } }, 30_000)
  const overview = useAnswer('GET /api/admin/overview', {}, 10_000)
  const live = useLive(FEED_LENGTH)
  // Whoever sends a test request wants to read its answer before the figures take its place.
  const [testing, setTesting] = useState(false)
  const isNew = ever.data?.total_requests === 0 && usage.data?.total_requests === 0 && live.requests.length === 0
  return (
    <>
      <div className="screen-head">
        <h1>Overview</h1>
        <Choice label="Window" options={WINDOWS} chosen={hours} choose={setHours} />
      </div>
      <Failure error={usage.error} stale={usage.data !== undefined} retry={() => void usage.refresh()} />
      {overview.data?.offline_mode && <p className="notice warn">Offline mode is on: no vendor is asked.</p>}
      {overview.data?.quota_warnings.map(warning => (
        <p key={warning} className="notice warn">
          {warning}
        </p>
      ))}
      {isNew || testing ? (
        <FirstSteps model={overview.data?.model ?? undefined} setTesting={setTesting} />
      ) : (
        <>
          <Savings usage={usage.data} hours={hours} />
          <div className="columns">
            <div>
              <DeflectionChart hours={hours} />
              <Feed live={live} />
            </div>
            <div>
              <LayerTable hours={hours} />
              <CacheTable />
              <ProcessFacts />
            </div>
          </div>
        </>
      )}
    </>
  )
}
