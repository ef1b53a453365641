import { useAnswer } from '../../api/answers.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { count, milliseconds, usd } from '../../ui/human.ts'
import { endLook, layerName } from '../../ui/layers.ts'
import { Failure, Skeleton } from '../../ui/notices.tsx'
import { Attempts } from './attempts.tsx'
import { Bodies } from './bodies.tsx'
import { ForgetHit } from './forget-hit.tsx'
import { LimitRefusal } from './limit-refusal.tsx'
import { trailOf } from './limit-refusals.ts'
import { Steps } from './steps.tsx'
import type { StoryAnswer } from './story-answer.ts'
import { WhyNoHit } from './why-no-hit.tsx'

const exactly = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** All that is kept of one request. */
export function Story({ id, close }: { readonly id: string; close(): void }) {
  const { data, error, refresh } = useAnswer('GET /api/admin/requests/{id}', { path: { id } }, 0)
  return (
    <Dialog title={data ? titleOf(data) : 'Request'} shape="drawer" close={close}>
      <button type="button" className="quiet drawer-close" aria-label="Close" onClick={close}>
        ✕
      </button>
      <Failure error={error} stale={data !== undefined} retry={() => void refresh()} />
      {data ? (
        <>
          <Facts story={data} />
          <LimitRefusal story={data} />
          {isHit(data) ? <ForgetHit id={id} /> : data.final_layer !== ADMISSION && <WhyNoHit story={data} />}
          <Steps trail={trailOf(data)} />
          <Attempts attempts={data.attempts ?? []} />
          <Bodies story={data} />
        </>
      ) : (
        !error && (
          <Skeleton>
            <div className="log-waiting">…</div>
          </Skeleton>
        )
      )}
    </Dialog>
  )
}

/** What was refused at the door was looked up nowhere. */
const ADMISSION = 'l0'
const CACHES = new Set(['l1a', 'l1b'])
const isHit = ({ deflected, final_layer }: StoryAnswer): boolean => deflected === true && CACHES.has(final_layer ?? '')

function titleOf({ final_layer, error, provider, status }: StoryAnswer): string {
  const layer = final_layer ?? ''
  const { name } = endLook(layer, status ?? 0)
  if (error) return `${name}: ${error.replaceAll('_', ' ')}`
  if (layer === ADMISSION) return name
  return `Answered by ${provider ?? layerName(layer).toLowerCase()}`
}

function Facts({ story }: { readonly story: StoryAnswer }) {
  const { timestamp, latency_ms, status, response_status, client = '', tool, principal, tags, surface, model } = story
  const said = response_status ?? status ?? 0
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ['Came', timestamp ? exactly.format(new Date(timestamp)) : null],
    ['Took', milliseconds(latency_ms ?? null)],
    ['Client', tool && tool !== 'unknown' && tool !== client ? `${client} (${tool})` : client],
    ['Key', principal],
    ['Tags', tags?.join(', ')],
    ['Surface', surface],
    ['Model', model],
    ['Call', [story.method, story.path].filter(Boolean).join(' ')],
    ['Cost', story.cost_usd === null || story.cost_usd === undefined ? null : usd(story.cost_usd)],
    ['Saved', story.deflected ? savedOf(story) : null],
  ]
  return (
    <dl className="story-facts">
      <div>
        <dt>Status</dt>
        <dd className={said >= 400 ? 'bad' : undefined}>{said || '–'}</dd>
      </div>
      {facts.flatMap(([name, value]) =>
        value
          ? [
              <div key={name}>
                <dt>{name}</dt>
                <dd className="number">{value}</dd>
              </div>,
            ]
          : [],
      )}
      <div className="story-id">
        <dt>Id</dt>
        <dd className="mono">{story.request_id}</dd>
      </div>
    </dl>
  )
}

const savedOf = ({ saved_cost_usd = null, saved_tokens = null }: StoryAnswer): string =>
  [
    ...(saved_cost_usd === null ? [] : [usd(saved_cost_usd)]),
    ...(saved_tokens === null ? [] : [`${count(saved_tokens)} tokens`]),
  ].join(', ')
