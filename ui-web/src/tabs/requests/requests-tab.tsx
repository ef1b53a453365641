import { useState } from 'react'
import { useFilter } from '../../shell/place.ts'
import { count } from '../../ui/human.ts'
import { Failure, Skeleton } from '../../ui/notices.tsx'
import { FilterBar } from './filter-bar.tsx'
import { useLogFilters } from './log-filters.ts'
import { RequestList } from './request-list.tsx'
import { Story } from './story.tsx'
import { type Log, useLog } from './use-log.ts'
import { useScrolled } from './visible-rows.ts'
import './requests.css'

/** The last requests as they end, and the story of each. */
export function RequestsTab() {
  const filters = useLogFilters()
  const [story, setStory] = useFilter('id')
  const [paused, setPaused] = useState(false)
  const scrolled = useScrolled()
  const log = useLog(filters, paused || scrolled || story !== undefined)
  const close = (): void => setStory(undefined)
  return (
    <>
      <div className="screen-head">
        <h1>Request log</h1>
        <div className="log-state">
          <LiveState log={log} paused={paused} />
          <button type="button" aria-pressed={paused} onClick={() => setPaused(!paused)}>
            {paused ? 'Resume' : 'Pause'}
          </button>
        </div>
      </div>
      <FilterBar filters={filters} lines={log.lines ?? []} />
      <Failure error={log.error} stale={log.lines !== undefined} retry={log.refresh} />
      <Lines log={log} filtered={Object.keys(filters).length > 0} />
      {story !== undefined && <Story key={story} id={story} close={close} />}
    </>
  )
}

function LiveState({ log, paused }: { readonly log: Log; readonly paused: boolean }) {
  const words = paused ? 'Paused' : log.connected ? 'Live' : 'Connecting'
  return (
    <>
      {log.waiting > 0 && (
        <span className="muted small" aria-live="off">
          {count(log.waiting)} new
        </span>
      )}
      <span className={`state small ${log.connected && !paused ? 'good' : 'muted'}`}>{words}</span>
    </>
  )
}

function Lines({ log, filtered }: { readonly log: Log; readonly filtered: boolean }) {
  const filters = useLogFilters()
  const { lines } = log
  if (!lines)
    return log.error ? null : (
      <Skeleton>
        <div className="log-waiting">…</div>
      </Skeleton>
    )
  return (
    <>
      <p className="log-count small muted" role="status">
        {lines.length > 0 && countOf(lines.length, log.source, filtered)}
        {log.cut && '; there are older ones'}
      </p>
      {lines.length > 0 ? (
        <RequestList lines={lines} filters={filters} busy={log.busy} />
      ) : (
        <p className="empty">
          {filtered ? 'No kept request is like that.' : 'Requests show up here as they end. Send one, and watch.'}
        </p>
      )}
    </>
  )
}

function countOf(lines: number, source: Log['source'], filtered: boolean): string {
  if (filtered) return `${count(lines)} of the requests${WHERE[source]} ${lines === 1 ? 'fits' : 'fit'}`
  return `${count(lines)} ${lines === 1 ? 'request' : 'requests'}${WHERE[source]}`
}

const WHERE: Readonly<Record<Log['source'], string>> = {
  none: '',
  memory: ' kept in memory',
  request_log: ' in the request log',
}
