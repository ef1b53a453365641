import { useId, useState } from 'react'
import { type Answer, AskError, ask } from '../../api/ask.ts'
import { Candidates } from './candidates.tsx'
import { missesIn } from './misses.ts'
import { promptOf } from './neighbour.tsx'
import { NotedMisses } from './noted-misses.tsx'
import { promptIn } from './prompt-in.ts'
import type { StoryAnswer } from './story-answer.ts'

type Why = Answer<'POST /api/admin/cache/why'>

interface Told {
  readonly why: Why
  /** What a cache says of the prompt and the one that it refused, were nothing else stored. */
  readonly pair: Pair | undefined
}

interface Pair {
  readonly other: string
  readonly layer: string
  readonly because: string
}

type State =
  | { readonly is: 'idle' | 'open' | 'asking' }
  | ({ readonly is: 'told' } & Told)
  | { readonly is: 'failed'; readonly message: string }

/** Says why no cache had an answer, and asks them what they would do with the prompt now. */
export function WhyNoHit({ story }: { readonly story: StoryAnswer }) {
  const known = promptIn(story.request_body)
  const misses = missesIn(story)
  const [state, setState] = useState<State>({ is: 'idle' })
  const [prompt, setPrompt] = useState(known?.text ?? '')
  const field = useId()
  const askWhy = async (): Promise<void> => {
    setState({ is: 'asking' })
    try {
      setState({ is: 'told', ...(await toldOf(story, prompt)) })
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
      <NotedMisses misses={misses} />
      {state.is === 'told' && state.pair && <Compared pair={state.pair} />}
      <h3>Now</h3>
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
        {state.is === 'told' && <Verdict why={state.why} />}
      </div>
    </section>
  )
}

async function toldOf(story: StoryAnswer, prompt: string): Promise<Told> {
  const { surface, model } = story
  const body = { prompt, ...(surface && { surface }), ...(model && { model }) }
  const why = await ask('POST /api/admin/cache/why', { body })
  const refused = missesIn(story).find(({ neighbour }) => neighbour !== undefined)
  const other = refused?.neighbour && (await promptOf(refused.neighbour))
  if (!refused || other === undefined) return { why, pair: undefined }
  const { caches } = await ask('POST /api/admin/cache/why', { body: { ...body, other } })
  const because = caches[refused.layer]?.because
  return { why, pair: because === undefined ? undefined : { other, layer: refused.layer, because } }
}

const Compared = ({ pair: { other, layer, because } }: { readonly pair: Pair }) => (
  <p>
    The nearest was “{other}”. Of the two alone {layer} says: {because}.
  </p>
)

function Verdict({ why }: { readonly why: Why }) {
  return (
    <>
      <p className="story-verdict">
        {why.answers === null ? 'No cache would answer it.' : `By now ${why.answers} would answer it.`}
      </p>
      {Object.entries(why.caches).map(([name, cache]) => (
        <div key={name}>
          <p>
            <b>{name}</b> <span className={cache.hit ? 'good' : 'muted'}>{cache.hit ? 'hit' : 'miss'}</span>:{' '}
            {cache.because}.
          </p>
          <Candidates of={cache} />
        </div>
      ))}
    </>
  )
}
