import { useState } from 'react'
import { changed } from '../../api/answers.ts'
import { type Answer, AskError, ask } from '../../api/ask.ts'
import { milliseconds } from '../../ui/human.ts'

type Check = Answer<'POST /api/admin/providers/test'>

interface ProviderTest {
  readonly testing: boolean
  /** What the last test has shown, or why there was none. */
  readonly outcome: Check | AskError | undefined
  test(): Promise<void>
}

/** Looks at a provider now: one small request that generates nothing. */
export function useProviderTest(provider: string): ProviderTest {
  const [testing, setTesting] = useState(false)
  const [outcome, setOutcome] = useState<Check | AskError>()
  const test = async (): Promise<void> => {
    setTesting(true)
    try {
      setOutcome(await ask('POST /api/admin/providers/test', { body: { provider } }))
      await changed()
    } catch (error) {
      setOutcome(error instanceof AskError ? error : new AskError(undefined, String(error)))
    }
    setTesting(false)
  }
  return { testing, outcome, test }
}

/** What a test has shown. */
export function TestOutcome({ trial: { testing, outcome } }: { readonly trial: ProviderTest }) {
  return (
    <div role="status" className="small">
      {testing ? <p className="muted">Testing…</p> : outcome && <Told outcome={outcome} />}
    </div>
  )
}

function Told({ outcome }: { readonly outcome: Check | AskError }) {
  if (outcome instanceof AskError) return <p className="bad">The test failed: {outcome.message}</p>
  const { reachable, authorized, latency_ms, status_code, error } = outcome
  const facts = [
    ...(reachable ? [`reached in ${milliseconds(latency_ms)}`] : ['not reached']),
    ...(status_code === null ? [] : [`status ${status_code}`]),
    ...(authorized === null ? [] : [authorized ? 'the key is accepted' : 'the key is refused']),
    ...(error === null ? [] : [error]),
  ]
  const good = reachable && error === null && authorized !== false
  return <p className={good ? 'good' : 'bad'}>Test: {facts.join(', ')}</p>
}
