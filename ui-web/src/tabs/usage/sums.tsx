import type { Answer } from '../../api/ask.ts'
import { count, share, usd } from '../../ui/human.ts'
import { type Period, SPOKEN } from './periods.ts'

interface SumsProps {
  readonly usage: Answer<'GET /api/admin/usage'>
  readonly period: Period
}

/** What was spent and saved in a window, in one row of figures. */
export function Sums({ usage, period }: SumsProps) {
  const { estimated_cost_usd: spent, estimated_saved_cost_usd: saved, unpriced, estimated } = usage
  const all = (spent ?? 0) + (saved ?? 0)
  return (
    <section aria-label={`Usage ${SPOKEN[period]}`}>
      <dl className="figures">
        <div className="lead">
          <dt>Spent {SPOKEN[period]}</dt>
          <dd className="number">{usd(spent)}</dd>
          <dd className="note">an estimate, by tokens and prices</dd>
        </div>
        <div>
          <dt>Saved</dt>
          <dd className="number">{usd(saved)}</dd>
          <dd className="note">
            {all > 0 ? `${share((saved ?? 0) / all)} of what it would have cost` : 'by deflection'}
          </dd>
        </div>
        <div>
          <dt>Requests</dt>
          <dd className="number">{count(usage.total_requests)}</dd>
          <dd className="note">{count(usage.total_deflected_requests)} deflected</dd>
        </div>
        <div>
          <dt>Tokens sent</dt>
          <dd className="number">{count(usage.total_prompt_tokens)}</dd>
          <dd className="note">{count(usage.cached_read_tokens)} read from vendors’ caches</dd>
        </div>
        <div>
          <dt>Tokens received</dt>
          <dd className="number">{count(usage.total_completion_tokens)}</dd>
          <dd className="note">{count(usage.reasoning_tokens)} of reasoning</dd>
        </div>
      </dl>
      {(unpriced > 0 || estimated > 0) && (
        <p className="muted small usage-doubts">
          {unpriced > 0 && `${count(unpriced)} without a known price are not in the costs. `}
          {estimated > 0 && `Of ${count(estimated)} the tokens are a guess.`}
        </p>
      )}
    </section>
  )
}
