import type { Usage } from 'deflector'
import type { ContextSavings } from 'deflector/facets/context-savings'
import type { Optimised } from './optimiser.ts'

/** What was saved since the gateway began. */
export class Savings implements ContextSavings {
  requests = 0
  bytesSaved = 0
  requestsMarked = 0
  tokensRead = 0
  tokensWritten = 0

  /** Counts a request that a vendor answered, and what the vendor says of its tokens. */
  count({ savedBytes, isMarked }: Pick<Optimised, 'savedBytes' | 'isMarked'>, usage: Usage | undefined): void {
    if (savedBytes > 0) this.requests++
    this.bytesSaved += savedBytes
    if (!isMarked) return
    this.requestsMarked++
    this.tokensRead += usage?.cacheRead ?? 0
    this.tokensWritten += usage?.cacheWrite ?? 0
  }
}
