import { useAnswer } from '../../api/answers.ts'
import { bytes, count } from '../../ui/human.ts'

/** What the caches hold. */
export function CacheTable() {
  const { data } = useAnswer('GET /api/admin/cache', {}, 10_000)
  const caches = Object.entries(data?.caches ?? {})
  if (caches.length === 0) return null
  return (
    <section className="part">
      <div className="part-head">
        <h2>Caches</h2>
      </div>
      <table>
        <thead>
          <tr>
            <th scope="col">Cache</th>
            <th scope="col" className="number">
              Entries
            </th>
            <th scope="col" className="number">
              Size
            </th>
            <th scope="col" className="number">
              Hits
            </th>
          </tr>
        </thead>
        <tbody>
          {caches.map(([name, { entries, bytes: size, hits }]) => (
            <tr key={name}>
              <td>{name}</td>
              <td className="number">{entries === undefined ? '–' : count(entries)}</td>
              <td className="number">{size === undefined ? '–' : bytes(size)}</td>
              <td className="number">{hits === undefined ? '–' : count(hits)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
