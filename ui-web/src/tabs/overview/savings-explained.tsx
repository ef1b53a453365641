import { Dialog } from '../../ui/dialog.tsx'
import { count, usd } from '../../ui/human.ts'
import { Prices } from './prices.tsx'
import type { Usage } from './usage-answer.ts'

/** Says where the figures of saved and spent money come from, and how sure they are. */
export function SavingsExplained({ usage, close }: { readonly usage: Usage; close(): void }) {
  return (
    <Dialog title="How savings are computed" close={close}>
      <div className="prose">
        <p>
          A request is deflected when a cache or a local model answers it. What it saved is what the first provider of
          the chain would have charged for the same answer: its input and output tokens at that provider's prices.
        </p>
        <p>
          Prices are those of <code>usage_pricing</code>, else those of the built-in list. What was spent is computed
          the same way, from the tokens that vendors report.
        </p>
        <dl className="facts">
          <dt>Deflected requests</dt>
          <dd>{count(usage.total_deflected_requests)}</dd>
          <dt>Tokens that they would have used</dt>
          <dd>{count(usage.saved_tokens)}</dd>
          <dt>Saved</dt>
          <dd>{usd(usage.estimated_saved_cost_usd)}</dd>
          <dt>Without a known price, not counted</dt>
          <dd>{count(usage.unpriced)}</dd>
          <dt>With tokens that are a guess</dt>
          <dd>{count(usage.estimated)}</dd>
        </dl>
        <Prices />
        <p className="muted">
          A script reads the same from <code>GET /api/admin/usage?hours={usage.window_hours}</code>.
        </p>
      </div>
      <div className="buttons dialog-end">
        <button type="button" className="primary" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
