import { useAnswer } from '../../api/answers.ts'
import { count, usd } from '../../ui/human.ts'
import { Failure } from '../../ui/notices.tsx'

/** What requests cost and saved, by model. */
export function UsageTab() {
  const usage = useAnswer('GET /api/admin/usage/breakdown', { query: { by: 'model' } }, 10_000)
  return (
    <>
      <div className="screen-head">
        <h1>Usage</h1>
      </div>
      <Failure error={usage.error} stale={usage.data !== undefined} retry={() => void usage.refresh()} />
      <div className="table-frame">
        <table>
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col" className="number">
                Requests
              </th>
              <th scope="col" className="number">
                Cost
              </th>
            </tr>
          </thead>
          <tbody>
            {usage.data?.rows.map(({ model, requests_total, estimated_cost_usd }) => (
              <tr key={String(model)}>
                <td>{String(model)}</td>
                <td className="number">{count(requests_total)}</td>
                <td className="number">{usd(estimated_cost_usd)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
