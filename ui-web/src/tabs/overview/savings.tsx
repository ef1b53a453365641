import { useState } from 'react'
import { count, share, usd } from '../../ui/human.ts'
import { Skeleton } from '../../ui/notices.tsx'
import { SavingsExplained } from './savings-explained.tsx'
import type { Usage } from './usage-answer.ts'
import { SPOKEN, type Window } from './windows.ts'

/** The answer to "what did it save me", in one row of figures. */
export function Savings({ usage, hours }: { readonly usage: Usage | undefined; readonly hours: Window }) {
  const [explained, setExplained] = useState(false)
  if (!usage)
    return (
      <Skeleton>
        <div className="figures">…</div>
      </Skeleton>
    )
  return (
    <section aria-label={`Savings ${SPOKEN[hours]}`}>
      <dl className="figures">
        <div className="lead">
          <dt>Saved {SPOKEN[hours]}</dt>
          <dd className="number">{usd(usage.estimated_saved_cost_usd)}</dd>
          <dd className="note">
            <button type="button" className="link" onClick={() => setExplained(true)}>
              How is this computed?
            </button>
          </dd>
        </div>
        <div>
          <dt>Deflection rate</dt>
          <dd className="number">{share(usage.deflection_rate)}</dd>
          <dd className="note">answered without a vendor</dd>
        </div>
        <div>
          <dt>Requests</dt>
          <dd className="number">{count(usage.total_requests)}</dd>
          <dd className="note">{count(usage.total_deflected_requests)} deflected</dd>
        </div>
        <div>
          <dt>Tokens saved</dt>
          <dd className="number">{count(usage.saved_tokens)}</dd>
          <dd className="note">{count(usage.total_tokens)} used</dd>
        </div>
        <div>
          <dt>Spent</dt>
          <dd className="number">{usd(usage.estimated_cost_usd)}</dd>
          <dd className="note">at the vendors</dd>
        </div>
      </dl>
      {explained && <SavingsExplained usage={usage} close={() => setExplained(false)} />}
    </section>
  )
}
