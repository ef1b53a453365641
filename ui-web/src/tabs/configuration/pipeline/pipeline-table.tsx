import { count } from '../../../ui/human.ts'
import type { Pipeline } from './layout.ts'

/** The picture in words, for those who do not see it. */
export function PipelineTable({ pipeline: { nodes, flows, edges } }: { readonly pipeline: Pipeline }) {
  const names = new Map(nodes.map(({ id, name, role }) => [id, `${role} ${name}`]))
  return (
    <div className="visually-hidden">
      {flows.map(flow => (
        <table key={flow.name}>
          <caption>Flow {flow.name}: who sends to whom</caption>
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col">To</th>
              <th scope="col">Requests or calls</th>
              <th scope="col">Failed</th>
            </tr>
          </thead>
          <tbody>
            {edges
              .filter(({ from, to, asks }) => flow.ids.includes(from) || (!asks && flow.ids.includes(to)))
              .map(({ from, to, count: sent, failed }) => (
                <tr key={`${from} ${to}`}>
                  <th scope="row">{names.get(from)}</th>
                  <td>{names.get(to)}</td>
                  <td>{sent === null ? 'not counted' : count(sent)}</td>
                  <td>{failed === null ? '' : count(failed)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      ))}
    </div>
  )
}
