import { useId, useState } from 'react'
import { type Answer, AskError, ask } from '../../api/ask.ts'
import { TableFrame } from '../../ui/table-frame.tsx'
import { promptIn } from './prompt-in.ts'
import type { StoryAnswer } from './story-answer.ts'

type Why = Answer<'POST /api/admin/cache/why'>
type State =
  | { readonly is: 'idle' | 'open' | 'asking' }
  | { readonly is: 'told'; readonly why: Why }
  | { readonly is: 'failed'; readonly message: string }

/** Asks the caches what they would do with the prompt of a request now. */
export function WhyNoHit({ story }: { readonly story: StoryAnswer }) {
  const known = promptIn(story.request_body)
  const [state, setState] = useState<State>({ is: 'idle' })
  const [prompt, setPrompt] = useState(known?.text ?? '')
  const field = useId()
  const askWhy = async (): Promise<void> => {
    setState({ is: 'asking' })
    const { surface, model } = story
    const body = { prompt, ...(surface && { surface }), ...(model && { model }) }
    try {
      setState({ is: 'told', why: await ask('POST /api/admin/cache/why', { body }) })
    } catch (error) {
      setState({ is: 'failed', message: error instanceof AskError ? error.message : 'The answer cannot be read.' })
    }
  }
  if (state.is === 'idle')
    return (
      <section className="story-action">
        <button type="button" onClick={() => (known ? void askWhy() : setState({ is: 'open' }))}>
          Why not a hit?
        </button>
      </section>
    )
  return (
    <section className="story-why">
      <label htmlFor={field}>{known ? 'The prompt' : 'The prompt, which is not kept: paste it'}</label>
      <textarea id={field} rows={3} value={prompt} onChange={event => setPrompt(event.target.value)} />
      <div className="story-action">
        <button type="button" disabled={state.is === 'asking' || prompt.trim() === ''} onClick={() => void askWhy()}>
          Ask the caches
        </button>
        <span className="muted small">
          They say what they would do now, for your key.
          {known?.partial && ' Only the last turn is asked about; all turns count in a real request.'}
        </span>
      </div>
      <div aria-live="polite">
        {state.is === 'failed' && <p className="bad">{state.message}</p>}
        {state.is === 'told' && <Told why={state.why} />}
      </div>
    </section>
  )
}

function Told({ why }: { readonly why: Why }) {
  return (
    <>
      <p className="story-verdict">
        {why.answers === null ? 'No cache would answer it.' : `By now ${why.answers} would answer it.`}
      </p>
      {Object.entries(why.caches).map(([name, { hit, because, candidates }]) => (
        <div key={name}>
          <p>
            <b>{name}</b> <span className={hit ? 'good' : 'muted'}>{hit ? 'hit' : 'miss'}</span>: {because}.
          </p>
          <Candidates candidates={candidatesIn(candidates)} />
        </div>
      ))}
    </>
  )
}

interface Candidate {
  readonly prompt: string
  readonly similarity: number
  readonly probability: number | undefined
  readonly rule: string | undefined
}

function candidatesIn(value: unknown): readonly Candidate[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((one: Partial<Record<string, unknown>>) => {
    const { prompt, similarity, probability, rule } = one
    if (typeof prompt !== 'string' || typeof similarity !== 'number') return []
    return [
      {
        prompt,
        similarity,
        probability: typeof probability === 'number' ? probability : undefined,
        rule: typeof rule === 'string' ? rule : undefined,
      },
    ]
  })
}

function Candidates({ candidates }: { readonly candidates: readonly Candidate[] }) {
  if (candidates.length === 0) return null
  return (
    <TableFrame label="Stored prompts">
      <table>
        <thead>
          <tr>
            <th scope="col">Stored prompt</th>
            <th scope="col" className="number">
              Similarity
            </th>
            <th scope="col" className="number">
              Probability
            </th>
            <th scope="col">Refused by</th>
          </tr>
        </thead>
        <tbody>
          {candidates.map(({ prompt, similarity, probability, rule }) => (
            <tr key={prompt}>
              <td>{prompt}</td>
              <td className="number">{similarity.toFixed(4)}</td>
              <td className="number">{probability?.toFixed(4) ?? '–'}</td>
              <td>{rule?.replaceAll('_', ' ') ?? ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  )
}
