import { count, moment } from '../../ui/human.ts'
import { useNow } from '../../ui/now.ts'
import type { Provider } from './chain.ts'

type Key = Provider['keys'][number]

/** The keys of a provider, masked, and how each is. */
export function KeyList({ provider: { keys, api_key_configured } }: { readonly provider: Provider }) {
  if (keys.length === 0)
    return (
      <p className="small muted">
        {api_key_configured ? 'Its key is of the credential store.' : 'No key is configured.'}
      </p>
    )
  return (
    <ul className="keys small">
      {keys.map(key => (
        <li key={`${key.masked_key} ${key.label}`}>
          <code>{key.masked_key}</code> {key.label !== null && <b>{key.label}</b>} <KeyState of={key} />
          <span className="muted">
            {count(key.requests_total)} {key.requests_total === 1 ? 'request' : 'requests'}
            {key.rate_limit_total > 0 && `, ${count(key.rate_limit_total)} times limited`}
          </span>
        </li>
      ))}
    </ul>
  )
}

function KeyState({ of: { status, cooldown_until: until } }: { readonly of: Key }) {
  if (status === 'available') return <span className="good">available</span>
  return <Cooldown until={until} />
}

/** Counts down, second by second. */
function Cooldown({ until }: { readonly until: string | null }) {
  const now = useNow(1000)
  const left = until === null ? 0 : Math.max(0, Math.ceil((Date.parse(until) - now) / 1000))
  return (
    <span className="warn number">
      {left > 0 && until !== null ? `cooling down, ${left} s left, until ${moment(until)}` : 'back in a moment'}
    </span>
  )
}
