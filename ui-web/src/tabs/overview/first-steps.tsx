import { useState } from 'react'
import { changed } from '../../api/answers.ts'
import { type Answer, ask, messageOf } from '../../api/ask.ts'
import { session } from '../../api/session-key.ts'
import { Choice } from '../../ui/choice.tsx'
import { Snippet } from '../../ui/snippet.tsx'
import { CLIENTS, type Client, snippetOf } from './client-snippets.ts'

const QUESTION = 'Say hello in five words.'
const LAYERS: Readonly<Record<number, string>> = { 1: 'a cache', 2: 'the local model', 3: 'the vendor' }

interface FirstStepsProps {
  /** Of the first provider. */
  readonly model: string | undefined
  /** Says whether somebody waits for, or reads, the answer to a test. */
  setTesting(is: boolean): void
}

/** What to do while nothing has come through yet: send a first request from here, and point a client at the gateway. */
export function FirstSteps({ model, setTesting }: FirstStepsProps) {
  const [client, setClient] = useState<Client>('openai')
  const names = Object.fromEntries(Object.entries(CLIENTS).map(([id, { name }]) => [id, name])) as Record<
    Client,
    string
  >
  return (
    <section className="first-steps">
      <h2>No requests yet</h2>
      <p className="muted">Figures show up here with the first request. There are two ways to send one.</p>
      <h3>Send one from here</h3>
      <TestRequest setTesting={setTesting} />
      <h3>Point a client at this gateway</h3>
      <Choice<Client> label="Client" options={names} chosen={client} choose={setClient} />
      <Snippet text={snippetOf(client, window.location.origin, { model, keyed: session().key !== undefined })} />
    </section>
  )
}

type Outcome =
  | { readonly state: 'idle' | 'asking' }
  | { readonly state: 'answered'; readonly answer: Answer<'POST /api/chat'> }
  | { readonly state: 'failed'; readonly why: string }

function TestRequest({ setTesting }: Pick<FirstStepsProps, 'setTesting'>) {
  const [outcome, setOutcome] = useState<Outcome>({ state: 'idle' })
  const send = async (): Promise<void> => {
    setTesting(true)
    setOutcome({ state: 'asking' })
    try {
      setOutcome({ state: 'answered', answer: await ask('POST /api/chat', { body: { prompt: QUESTION } }) })
    } catch (error) {
      setOutcome({ state: 'failed', why: messageOf(error) })
    }
  }
  return (
    <div>
      <div className="buttons">
        <button type="button" className="primary" disabled={outcome.state === 'asking'} onClick={() => void send()}>
          {outcome.state === 'asking' ? 'Waiting for the answer' : 'Send a test request'}
        </button>
        {outcome.state === 'answered' && (
          <button type="button" onClick={() => void changed().then(() => setTesting(false))}>
            Show the figures
          </button>
        )}
      </div>
      <div aria-live="polite">
        {outcome.state === 'answered' && (
          <p className="outcome">
            <span className="good">Answered by {LAYERS[outcome.answer.layer] ?? `layer ${outcome.answer.layer}`}:</span>{' '}
            {outcome.answer.message}
          </p>
        )}
        {outcome.state === 'failed' && <p className="outcome bad">{outcome.why}</p>}
      </div>
    </div>
  )
}
