import { useState } from 'react'
import { AskError, ask } from '../../api/ask.ts'

type State =
  | { readonly is: 'idle' | 'asking' }
  | { readonly is: 'done'; readonly forgotten: readonly string[] }
  | { readonly is: 'failed'; readonly message: string }

/** Takes an answer out of the caches that should not have been given. */
export function ForgetHit({ id }: { readonly id: string }) {
  const [state, setState] = useState<State>({ is: 'idle' })
  const forget = async (): Promise<void> => {
    setState({ is: 'asking' })
    try {
      const { forgotten } = await ask('POST /api/admin/cache/forget', { body: { request_id: id } })
      setState({ is: 'done', forgotten })
    } catch (error) {
      setState({ is: 'failed', message: error instanceof AskError ? error.message : 'The answer cannot be read.' })
    }
  }
  return (
    <section className="story-action" aria-live="polite">
      {state.is !== 'done' && (
        <>
          <button type="button" disabled={state.is === 'asking'} onClick={() => void forget()}>
            This hit was wrong
          </button>
          <span className="muted small">The caches forget this answer, and do not give it to this question again.</span>
        </>
      )}
      {state.is === 'done' &&
        (state.forgotten.length > 0 ? (
          <span className="good">Forgotten by {state.forgotten.join(' and ')}.</span>
        ) : (
          <span className="warn">Nothing of it is kept any more.</span>
        ))}
      {state.is === 'failed' && <span className="bad">{state.message}</span>}
    </section>
  )
}
