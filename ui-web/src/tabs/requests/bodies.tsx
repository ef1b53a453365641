import { useState } from 'react'
import { addressOf } from '../../shell/place.ts'
import { Snippet } from '../../ui/snippet.tsx'
import { curlOf } from './curl.ts'
import type { StoryAnswer } from './story-answer.ts'

/** What the client sent and got, side by side, as far as the request log keeps it. */
export function Bodies({ story }: { readonly story: StoryAnswer }) {
  if (story.source === 'memory')
    return (
      <section className="story-part">
        <h3>Bodies</h3>
        <p className="muted">
          They are not kept. The setting <code>enable_request_logs</code> writes them to files, without keys; it is
          under <a href={addressOf('configuration')}>Configuration</a>.
        </p>
      </section>
    )
  return (
    <section className="story-part">
      <div className="story-bodies">
        <Body title="Request" text={story.request_body} cut={story.request_body_truncated} />
        <Body title="Answer" text={story.response_body} cut={story.response_body_truncated} />
      </div>
      <Curl story={story} />
    </section>
  )
}

interface BodyProps {
  readonly title: string
  readonly text: string | null | undefined
  readonly cut: boolean | undefined
}

function Body({ title, text, cut }: BodyProps) {
  return (
    <div>
      <h3>
        {title} {cut && <span className="muted small">only its beginning is kept</span>}
      </h3>
      {text ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, also by keyboard
        <pre tabIndex={0}>{laidOut(text)}</pre>
      ) : (
        <p className="muted">None is kept.</p>
      )}
    </div>
  )
}

function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function Curl({ story }: { readonly story: StoryAnswer }) {
  const [state, setState] = useState<'copied' | 'shown'>()
  const text = curlOf(story, window.location.origin)
  if (text === undefined) return null
  const copy = async (): Promise<void> => {
    // Without a clipboard (plain HTTP of another machine) the text is there to be selected.
    const copied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    )
    setState(copied ? 'copied' : 'shown')
  }
  return (
    <div className="story-curl">
      <button type="button" onClick={() => void copy()}>
        {state === 'copied' ? 'Copied' : 'Copy as curl'}
      </button>{' '}
      <span className="muted small">
        Your key is not in it: set <code>KEY</code> first.
      </span>
      {state === 'shown' && <Snippet text={text} />}
    </div>
  )
}
