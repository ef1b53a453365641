import { useAnswer } from '../../api/answers.ts'
import { count, milliseconds } from '../../ui/human.ts'
import { Failure } from '../../ui/notices.tsx'

/** The chain of providers, in the order in which they are asked. */
export function ProvidersTab() {
  const chain = useAnswer('GET /api/admin/providers', {}, 5000)
  return (
    <>
      <div className="screen-head">
        <h1>Providers</h1>
      </div>
      <Failure error={chain.error} stale={chain.data !== undefined} retry={() => void chain.refresh()} />
      <div className="table-frame">
        <table>
          <thead>
            <tr>
              <th scope="col">Provider</th>
              <th scope="col">Status</th>
              <th scope="col" className="number">
                Requests
              </th>
              <th scope="col" className="number">
                Latency
              </th>
            </tr>
          </thead>
          <tbody>
            {chain.data?.providers.map(({ name, status, requests_total, latency_ms }) => (
              <tr key={name}>
                <td>{name}</td>
                <td>{status}</td>
                <td className="number">{count(requests_total)}</td>
                <td className="number">{milliseconds(latency_ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
