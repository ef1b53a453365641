import { useAnswer } from '../../api/answers.ts'
import { useFilter } from '../../shell/place.ts'
import { Choice } from '../../ui/choice.tsx'
import { count, usd } from '../../ui/human.ts'
import { Failure, Skeleton } from '../../ui/notices.tsx'
import { TableFrame } from '../../ui/table-frame.tsx'
import { csvOf, offerFile } from './csv.ts'
import { PERIODS, type Period } from './periods.ts'
import { DIMENSIONS, type Dimension, isDimension, rowsOf, type UsageRow } from './rows.ts'

/** What each provider, model, key or tag used. */
export function Breakdown({
  period,
  hours,
  requests,
}: {
  readonly period: Period
  readonly hours: number
  readonly requests: number
}) {
  const [given, setDimension] = useFilter('by')
  const by: Dimension = isDimension(given) ? given : 'provider'
  const query = { hours, by: by === 'provider' ? 'model' : by } as const
  const answer = useAnswer('GET /api/admin/usage/breakdown', { query }, 10_000)
  const rows = answer.data && rowsOf(answer.data.rows, by)
  const save = (): void => {
    const day = new Date().toISOString().slice(0, 10)
    const name = `usage by ${DIMENSIONS[by]}, ${PERIODS[period]}, ${day}.csv`.toLowerCase().replaceAll(/,? /g, '-')
    if (rows) offerFile(name, csvOf(rows, by))
  }
  return (
    <section className="part">
      <div className="part-head">
        <h2>Used by</h2>
        <div className="usage-tools">
          <Choice<Dimension> label="Used by" options={DIMENSIONS} chosen={by} choose={setDimension} />
          <button type="button" disabled={!rows || rows.length === 0} onClick={save}>
            Export CSV
          </button>
        </div>
      </div>
      <Failure error={answer.error} stale={rows !== undefined} retry={() => void answer.refresh()} />
      {rows ? (
        rows.length > 0 ? (
          <>
            <Rows rows={rows} by={by} />
            {by === 'tag' && <Untagged rows={rows} requests={requests} />}
          </>
        ) : (
          <p className="empty">{EMPTY[by] ?? 'Nothing is known of it in this window.'}</p>
        )
      ) : (
        <Skeleton>
          <div className="usage-rows">…</div>
        </Skeleton>
      )}
    </section>
  )
}

const EMPTY: Readonly<Partial<Record<Dimension, string>>> = {
  tag: 'No request had a tag. Clients set them in the header X-Service-Tags.',
  key: 'No request was made with a key of a provider.',
}

/** Those with several tags count in several rows, so that no more than the least number is known. */
function Untagged({ rows, requests }: { readonly rows: readonly UsageRow[]; readonly requests: number }) {
  const least = requests - rows.reduce((sum, row) => sum + row.requests_total, 0)
  if (least <= 0) return null
  return (
    <p className="muted small">
      At least {count(least)} of {count(requests)} requests had no tag.
    </p>
  )
}

/** How the gateway names the provider, or the model, of a request without one. */
const NONE = 'none'
const UNCALLED = 'Refused before a vendor was chosen'

function nameIn({ name }: UsageRow, by: Dimension): string {
  if (name === NONE && by === 'provider') return UNCALLED
  if (name === NONE && by === 'model') return 'No model'
  if (name === NONE && by === 'principal') return 'No gateway key'
  return name || NONE
}

/** Money comes first: a phone shows no more without scrolling. */
const COLUMNS = ['Saved', 'Requests', 'Deflected', 'Tokens sent', 'Received', 'Tokens saved'] as const

function Rows({ rows, by }: { readonly rows: readonly UsageRow[]; readonly by: Dimension }) {
  const most = Math.max(...rows.map(({ estimated_cost_usd: cost }) => cost ?? 0))
  return (
    <TableFrame label={`Usage by ${DIMENSIONS[by].toLowerCase()}`}>
      <table className="usage-rows">
        <thead>
          <tr>
            <th scope="col">{DIMENSIONS[by]}</th>
            {by === 'model' && <th scope="col">Provider</th>}
            <th scope="col" className="number">
              Spent
            </th>
            <td className="usage-bar" />
            {COLUMNS.map(name => (
              <th key={name} scope="col" className="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={`${row.provider}/${row.name}`}>
              <th scope="row" title={row.name} className={nameIn(row, by) === UNCALLED ? 'usage-uncalled' : undefined}>
                {nameIn(row, by)}
              </th>
              {by === 'model' && <td>{row.provider === NONE ? UNCALLED : row.provider}</td>}
              <td className="number">{usd(row.estimated_cost_usd)}</td>
              <td className="usage-bar">
                <svg width="100%" height="8" aria-hidden="true">
                  <rect
                    width={`${most > 0 ? (100 * (row.estimated_cost_usd ?? 0)) / most : 0}%`}
                    height="8"
                    rx="2"
                    fill="var(--series-rest)"
                  />
                </svg>
              </td>
              <td className="number good">{usd(row.estimated_saved_cost_usd)}</td>
              <td className="number">{count(row.requests_total)}</td>
              <td className="number">{count(row.deflected_total)}</td>
              <td className="number">{count(row.prompt_tokens)}</td>
              <td className="number">{count(row.completion_tokens)}</td>
              <td className="number">{count(row.saved_tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  )
}
