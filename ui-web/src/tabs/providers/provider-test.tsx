import { useState } from 'react'
import { changed } from '../../api/answers.ts'
import { type Answer, AskError, ask } from '../../api/ask.ts'
import { milliseconds } from '../../ui/human.ts'
import type { Provider } from './chain.ts'

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

interface TestOutcomeProps {
  readonly trial: ProviderTest
  /** Those of the provider. */
  readonly keys: Provider['keys']
}

/** What a test has shown. */
export function TestOutcome({ trial: { testing, outcome }, keys }: TestOutcomeProps) {
  return (
    <div role="status" className="small">
      {testing ? (
        <p className="muted">Testing…</p>
      ) : (
        outcome && <Told outcome={outcome} only={keys.length === 1 ? keys[0]?.masked_key : undefined} />
      )}
    </div>
  )
}

interface ToldProps {
  readonly outcome: Check | AskError
  /** The key of a provider that has one alone, masked. */
  readonly only: string | undefined
}

function Told({ outcome, only }: ToldProps) {
  if (outcome instanceof AskError) return <p className="bad">The test failed: {outcome.message}</p>
  const { reachable, authorized, latency_ms, status_code, error, keys } = outcome
  const facts = [
    ...(reachable ? [`reached in ${milliseconds(latency_ms)}`] : ['not reached']),
    ...(status_code === null ? [] : [`status ${status_code}`]),
    ...(authorized === null ? [] : [verdictOf(authorized, keys.length > 1, only)]),
    ...(error === null ? [] : [error]),
  ]
  const good = reachable && error === null && authorized !== false
  return (
    <>
      <p className={good ? 'good' : 'bad'}>Test: {facts.join(', ')}</p>
      {keys.map(each => (
        <p key={each.position} className={each.authorized === false ? 'bad' : 'muted'}>
          <code>{each.masked_key}</code> {each.label} {stateOf(each)}
        </p>
      ))}
    </>
  )
}

/** Of several keys the gateway tells how the worst is. */
function verdictOf(authorized: boolean, isPool: boolean, only: string | undefined): string {
  if (isPool) return authorized ? 'the keys are accepted' : 'a key is refused'
  return `the key${only === undefined ? '' : ` ${only}`} is ${authorized ? 'accepted' : 'refused'}`
}

function stateOf({ authorized, status_code, error }: Check['keys'][number]): string {
  const verdict = authorized === null ? 'not tried' : authorized ? 'accepted' : 'refused'
  const status = status_code === null ? [] : [`status ${status_code}`]
  return [verdict, ...status, ...(error === null ? [] : [error])].join(', ')
}
