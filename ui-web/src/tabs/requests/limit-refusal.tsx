import { useAnswer } from '../../api/answers.ts'
import { addressOf } from '../../shell/place.ts'
import { count, moment, usd } from '../../ui/human.ts'
import { WINDOWS } from '../../ui/limit-windows.ts'
import { type Holder, holdersOf, toldOf } from './limit-refusals.ts'
import type { StoryAnswer } from './story-answer.ts'

/** Whose limits refused a request or one of its calls. Nothing where none did. */
export function LimitRefusal({ story }: { readonly story: StoryAnswer }) {
  const holders = holdersOf(story)
  return holders.length === 0 ? null : <Refused holders={holders} told={toldOf(story)} isAnswered={!story.error} />
}

interface RefusedProps {
  readonly holders: readonly Holder[]
  readonly told: string | undefined
  /** Another provider answered. */
  readonly isAnswered: boolean
}

function Refused({ holders, told, isAnswered }: RefusedProps) {
  const { data } = useAnswer('GET /api/admin/usage/breakdown', { query: { hours: 1 } }, 0)
  return (
    <section className="story-part">
      <h3>{isAnswered ? 'Passed over for a limit' : 'Refused by a limit'}</h3>
      {told !== undefined && <p>The client was told: {told}</p>}
      {holders.map(({ words, name }) => {
        const windows = data?.quota_status.find(({ provider }) => provider === name)?.windows ?? []
        return (
          <div key={name}>
            <p>
              A limit of {words} had no room for it. <a href={addressOf('usage')}>See all limits</a>
            </p>
            {windows.map(({ window, unit, limit, used, resets_at }) => {
              const amount = (n: number): string => (unit === 'usd' ? usd(n) : `${count(n)} ${unit}`)
              return (
                <p key={`${window} ${unit}`} className="muted small">
                  Now {amount(used)} of {amount(limit)} {WINDOWS[window]} are used, until {moment(resets_at)}.
                </p>
              )
            })}
          </div>
        )
      })}
    </section>
  )
}
