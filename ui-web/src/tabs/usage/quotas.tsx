import { useAnswer } from '../../api/answers.ts'
import type { Answer } from '../../api/ask.ts'
import { count, duration, share, usd } from '../../ui/human.ts'
import { WINDOWS } from '../../ui/limit-windows.ts'
import { type Forecast, forecastOf } from './forecast.ts'

type Quota = Answer<'GET /api/admin/usage/breakdown'>['quota_status'][number]
type QuotaWindow = Quota['windows'][number]

/** The limits of providers and gateway keys, with what is used of them and where that leads to. */
export function Quotas() {
  const { data, at = 0 } = useAnswer('GET /api/admin/usage/breakdown', { query: { hours: 1 } }, 10_000)
  const quotas = data?.quota_status ?? []
  if (quotas.length === 0) return null
  return (
    <section className="part">
      <div className="part-head">
        <h2>Limits</h2>
        <span className="muted small">Forecasts are a straight line from the beginning of each window.</span>
      </div>
      <ul className="quotas">
        {quotas.flatMap(({ provider, action, windows }) =>
          windows.map(window => (
            <Limit
              key={`${provider} ${window.window} ${window.unit}`}
              owner={provider}
              action={action}
              limit={window}
              now={at}
            />
          )),
        )}
      </ul>
    </section>
  )
}

interface LimitProps {
  readonly owner: string
  readonly action: string
  readonly limit: QuotaWindow
  /** Milliseconds since 1970. */
  readonly now: number
}

const ACTIONS: Readonly<Record<string, string>> = {
  warn: 'A limit that is reached is a warning.',
  block: 'A call is refused when its estimate does not fit into what is left.',
  fallback: 'The next provider is asked when the estimate of a call does not fit into what is left.',
}
/** From this part of a limit on it is near. */
const NEAR = 0.8

function Limit({ owner, action, limit, now }: LimitProps) {
  const { window, unit, limit: most, used, reserved, resets_at } = limit
  const amount = (n: number): string => (unit === 'usd' ? usd(n) : `${count(n)} ${unit}`)
  const part = most > 0 ? used / most : 1
  const tone = part >= 1 ? 'bad' : part >= NEAR ? 'warn' : 'fine'
  const forecast = forecastOf(limit, now)
  const left = Math.max(0, (Date.parse(resets_at) - now) / 1000)
  return (
    <li className="quota">
      <div className="quota-name">
        <b>{owner}</b> <span className="muted">{WINDOWS[window]}</span>
      </div>
      <svg className={`quota-bar ${tone}`} width="100%" height="14" aria-hidden="true">
        <rect className="all" y="2" width="100%" height="10" rx="3" />
        <rect className="used" y="2" width={percent(part)} height="10" rx="3" />
        {reserved > 0 && (
          <rect className="reserved" y="2" x={percent(part)} width={percent(reserved / most)} height="10" />
        )}
        {forecast && forecast.amount > used && (
          <line x1={percent(forecast.amount / most)} x2={percent(forecast.amount / most)} y1="0" y2="14" />
        )}
      </svg>
      <div className="number quota-used">
        <span className={tone === 'fine' ? undefined : tone}>{amount(used)}</span>{' '}
        <span className="muted">
          of {amount(most)} ({share(part)}){reserved > 0 && `, ${amount(reserved)} reserved`}
        </span>
      </div>
      <div className="muted small quota-words">
        {part >= 1 ? 'Reached.' : forecast && `${wordsOf(forecast, amount)}.`} The window ends in {duration(left)}.{' '}
        {ACTIONS[action]}
      </div>
    </li>
  )
}

const wordsOf = ({ amount: end, fullAt }: Forecast, amount: (n: number) => string): string =>
  fullAt === undefined
    ? `At this rate ${amount(rounded(end))} when it ends`
    : `At this rate it is reached ${when.format(fullAt)}`

const when = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

/** A forecast has no more digits than it deserves. */
const rounded = (n: number): number => Number(n.toPrecision(2))

const percent = (part: number): string => `${Math.min(100, Math.max(0, 100 * part))}%`
