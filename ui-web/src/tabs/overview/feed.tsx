import { useAnswer } from '../../api/answers.ts'
import type { Answer } from '../../api/ask.ts'
import type { Live, LiveRequest } from '../../api/live.ts'
import { addressOf } from '../../shell/place.ts'
import { count, milliseconds, moment } from '../../ui/human.ts'
import { endLook } from '../../ui/layers.ts'
import { Swatch } from '../../ui/stacked-bars.tsx'

/** Requests on the screen. */
const MOST = 15

/** The last decisions, as they are made. */
export function Feed({ live }: { readonly live: Live }) {
  // What ended before this page was opened; the stream has the rest.
  const before = useAnswer('GET /api/admin/requests', { query: { limit: MOST, brief: 'true' } }, 0)
  const known = new Set(live.requests.map(({ id }) => id))
  const older = (before.data?.entries ?? [])
    .filter(({ kind }) => kind === 'chat')
    .map(liveOf)
    .filter(({ id }) => !known.has(id))
  const shown = [...live.requests, ...older].slice(0, MOST)
  return (
    <section className="part">
      <div className="part-head">
        <h2>Last decisions</h2>
        <span className={`state small ${live.connected ? 'good' : 'muted'}`}>
          {live.connected ? 'Live' : 'Connecting'}
        </span>
      </div>
      {shown.length === 0 ? (
        <p className="empty">Requests show up here as they end.</p>
      ) : (
        <div className="table-frame">
          <table className="feed">
            <thead>
              <tr>
                <th scope="col">Time</th>
                <th scope="col">Decided by</th>
                <th scope="col" className="if-wide">
                  Model
                </th>
                <th scope="col" className="if-wide">
                  Tool
                </th>
                <th scope="col" className="number">
                  Status
                </th>
                <th scope="col" className="number">
                  Took
                </th>
                <th scope="col" className="number if-wide">
                  Tokens saved
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map(request => (
                <Row key={request.id} request={request} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {shown.length > 0 && (
        <p className="feed-end">
          <a href={addressOf('requests')}>All requests</a>
        </p>
      )}
    </section>
  )
}

function Row({ request }: { readonly request: LiveRequest }) {
  const { id, time, layer, model, provider, tool, status, error, ms, saved } = request
  const end = endLook(layer, status)
  return (
    <tr>
      <td className="number time">
        <a href={addressOf('requests', { id })}>{moment(time)}</a>
      </td>
      <td className="nowrap">
        <Swatch colour={end.colour} /> {end.name}
        {provider !== null && <span className="muted"> · {provider}</span>}
      </td>
      <td className="cut if-wide">{model ?? '–'}</td>
      <td className="if-wide">{tool}</td>
      <td className={`number ${status >= 400 ? 'bad' : ''}`} title={error?.replaceAll('_', ' ')}>
        {status}
      </td>
      <td className="number">{milliseconds(ms)}</td>
      <td className="number if-wide">{saved > 0 ? count(saved) : ''}</td>
    </tr>
  )
}

type Entry = Answer<'GET /api/admin/requests'>['entries'][number]

/** An entry of the history, as the stream would have told it. */
const liveOf = (entry: Entry): LiveRequest => ({
  id: entry.request_id,
  time: entry.timestamp ?? '',
  layer: entry.final_layer ?? '',
  status: entry.status ?? 0,
  ms: entry.latency_ms ?? 0,
  model: entry.model ?? null,
  provider: entry.provider ?? null,
  client: entry.client ?? '',
  tool: entry.tool ?? '',
  key: entry.principal ?? null,
  tags: entry.tags ?? [],
  error: entry.error ?? null,
  saved: entry.saved_tokens ?? 0,
  cost_usd: entry.cost_usd ?? null,
  saved_cost_usd: entry.saved_cost_usd ?? null,
  skipped: 0,
})
