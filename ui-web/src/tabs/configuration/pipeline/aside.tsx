import type { Pipeline } from './layout.ts'

/** What no request goes along: where things are kept, who reads them, and who watches. */
export function Aside({ pipeline: { nodes, edges } }: { readonly pipeline: Pipeline }) {
  const usersOf = (id: string): string => {
    const from = edges.filter(edge => edge.to === id).map(edge => edge.from)
    return [...new Set(nodes.filter(node => from.includes(node.id)).map(({ name }) => name))].join(', ')
  }
  const used = nodes.filter(({ role }) => role === 'store' || role === 'model')
  const observers = nodes.filter(({ role }) => role === 'observer')
  const alone = nodes.filter(
    ({ role, flow, facets }) => role === 'surface' && flow === null && !facets.includes('listener'),
  )
  return (
    <div className="pipeline-aside">
      <section className="part">
        <div className="part-head">
          <h2>Stores and models</h2>
        </div>
        {used.length === 0 ? (
          <p className="muted">None is used.</p>
        ) : (
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Plugin</th>
                <th scope="col">Used by</th>
              </tr>
            </thead>
            <tbody>
              {used.map(({ id, name, plugin, role }) => (
                <tr key={id}>
                  <td>{name}</td>
                  <td className="muted">
                    {role} {plugin}
                  </td>
                  <td>{usersOf(id)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
      <section className="part">
        <div className="part-head">
          <h2>Beside the flows</h2>
        </div>
        <dl className="beside">
          <dt>Observers, which see every request end</dt>
          <dd>{observers.map(({ name }) => name).join(', ') || 'none'}</dd>
          <dt>Surfaces without a flow</dt>
          <dd>{alone.map(({ name }) => name).join(', ') || 'none'}</dd>
        </dl>
      </section>
    </div>
  )
}
