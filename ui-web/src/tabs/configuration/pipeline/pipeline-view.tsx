import { useEffect, useRef, useState } from 'react'
import { useAnswer } from '../../../api/answers.ts'
import { useFilter } from '../../../shell/place.ts'
import { moment } from '../../../ui/human.ts'
import { Failure, Skeleton } from '../../../ui/notices.tsx'
import { Aside } from './aside.tsx'
import { Drawing, useMoved } from './drawing.tsx'
import { layoutOf, type Pipeline } from './layout.ts'
import { PipelineTable } from './pipeline-table.tsx'
import './pipeline.css'

const EVERY_MS = 3000
/** Narrower it is not drawn: it scrolls. */
const LEAST_WIDTH = 900

/** The pipeline that serves, with the requests that went along it. */
export function PipelineView() {
  const running = useAnswer('GET /api/admin/pipeline', {}, EVERY_MS)
  return (
    <>
      <Failure error={running.error} stale={running.data !== undefined} retry={() => void running.refresh()} />
      {running.data ? (
        <Running pipeline={running.data} />
      ) : (
        !running.error && (
          <Skeleton>
            <div className="settings-waiting" />
          </Skeleton>
        )
      )}
    </>
  )
}

function Running({ pipeline }: { readonly pipeline: Pipeline }) {
  const [given, setFlow] = useFilter('flow')
  const frame = useRef<HTMLDivElement>(null)
  const [space, setSpace] = useState(LEAST_WIDTH)
  useEffect(() => {
    const element = frame.current
    if (!element) return
    const measured = (): void => setSpace(Math.max(LEAST_WIDTH, element.clientWidth))
    measured()
    const resized = new ResizeObserver(measured)
    resized.observe(element)
    return () => resized.disconnect()
  }, [])
  const names = pipeline.flows.map(({ name }) => name)
  const flow = names.find(name => name === given)
  const layout = layoutOf(pipeline, flow === undefined ? names : [flow], space)
  const moved = useMoved(layout)
  return (
    <>
      <div className="pipeline-head">
        <p className="muted">
          <code>{pipeline.file.split('/').at(-1)}</code>, generation {pipeline.generation}
          {pipeline.since !== null && `. Requests and calls since ${moment(pipeline.since)}`}.
        </p>
        <div className="pipeline-flow">
          <label htmlFor="flow">Flow</label>
          <select id="flow" value={flow ?? ''} onChange={event => setFlow(event.target.value || undefined)}>
            <option value="">All</option>
            {names.map(name => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide picture scrolls, also by keyboard */}
      <section className="pipeline-frame" ref={frame} tabIndex={0} aria-label="Picture of the pipeline">
        <Drawing layout={layout} moved={moved} />
      </section>
      <Aside pipeline={pipeline} />
      <PipelineTable pipeline={pipeline} />
    </>
  )
}
