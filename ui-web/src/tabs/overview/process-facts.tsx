import { useAnswer } from '../../api/answers.ts'
import { bytes, duration, milliseconds } from '../../ui/human.ts'

/** Above it, clients notice that the event loop is busy, in milliseconds. */
const BUSY = 50

/** The first look begins the measurement. */
const MEASURING = <span className="muted">measuring</span>

/** How the process is that the gateway runs in. */
export function ProcessFacts() {
  const { data } = useAnswer('GET /api/admin/process', {}, 3000)
  if (!data) return null
  const { loop_delay_ms: delay } = data
  return (
    <section className="part">
      <div className="part-head">
        <h2>Process</h2>
      </div>
      <dl className="facts">
        <dt>Up for</dt>
        <dd>{duration(data.uptime_secs)}</dd>
        <dt>Memory</dt>
        <dd>{bytes(data.memory_bytes)}</dd>
        <dt>Heap in use</dt>
        <dd>{bytes(data.heap_used_bytes)}</dd>
        <dt>Loop delay, median</dt>
        <dd>{delay ? milliseconds(delay.p50) : MEASURING}</dd>
        <dt>Loop delay, 99%</dt>
        <dd className={delay && delay.p99 > BUSY ? 'warn' : undefined}>
          {delay ? milliseconds(delay.p99) : MEASURING}
        </dd>
      </dl>
    </section>
  )
}
