import { useAnswer } from '../../api/answers.ts'
import { moment } from '../../ui/human.ts'
import { layerName } from '../../ui/layers.ts'
import { Failure } from '../../ui/notices.tsx'

/** The last requests, newest first. */
export function RequestsTab() {
  const log = useAnswer('GET /api/admin/requests', { query: { limit: 100 } }, 5000)
  return (
    <>
      <div className="screen-head">
        <h1>Request log</h1>
      </div>
      <Failure error={log.error} stale={log.data !== undefined} retry={() => void log.refresh()} />
      <div className="table-frame">
        <table>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Decided by</th>
              <th scope="col">Model</th>
            </tr>
          </thead>
          <tbody>
            {log.data?.entries.map(({ request_id, timestamp, final_layer, model }) => (
              <tr key={String(request_id)}>
                <td>{moment(String(timestamp))}</td>
                <td>{layerName(String(final_layer))}</td>
                <td>{String(model)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
