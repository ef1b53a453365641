import type { ReactNode } from 'react'
import type { AskError } from '../api/ask.ts'

interface FailureProps {
  readonly error: AskError | undefined
  /** Is an older answer still on the screen? */
  readonly stale: boolean
  retry(): void
}

/** Says that something could not be fetched, and what to do. Nothing while there is no failure. */
export function Failure({ error, stale, retry }: FailureProps) {
  if (!error) return null
  return (
    <div className="notice bad" role="alert">
      <span>
        {error.message} {stale && 'What you see is older.'}
      </span>
      <button type="button" onClick={retry}>
        Try again
      </button>
    </div>
  )
}

/** The place of something that is on its way, so that nothing jumps when it comes. */
export const Skeleton = ({ children }: { readonly children: ReactNode }) => (
  <div className="skeleton" aria-busy="true" aria-hidden="true">
    {children}
  </div>
)
