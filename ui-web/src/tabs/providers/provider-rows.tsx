import { useId } from 'react'
import { count, milliseconds, moment, share } from '../../ui/human.ts'
import type { ChainActions, Provider } from './chain.ts'
import { KeyList } from './key-list.tsx'
import { TestOutcome, useProviderTest } from './provider-test.tsx'

interface RowsProps extends ChainActions {
  readonly provider: Provider
  /** Place in the chain; the primary has 0. */
  readonly place: number
  readonly places: number
  /** Name of the first one. */
  readonly primary: string
}

const STATES = { healthy: 'Healthy', failing: 'Failing', unknown: 'Not asked yet', no_credential: 'No key' } as const
const TONES = { healthy: 'good', failing: 'bad', unknown: 'muted', no_credential: 'warn' } as const
const CIRCUITS = {
  closed: '',
  open: 'Asked last, as it fails repeatedly',
  half_open: 'The next request tries it',
} as const

/** One provider: its figures, and under them its keys and what last went wrong. */
export function ProviderRows({ provider, place, places, primary, mayChange, move, edit, remove }: RowsProps) {
  const { name, model, endpoint, status, circuit, requests_total: requests, errors_total: errors } = provider
  const { last_error: failedAt, last_error_message: why } = provider
  const trial = useProviderTest(name)
  const isFallback = place > 0
  const hint = useId()
  const isNextToPrimary = mayChange && place === 1
  return (
    <tbody>
      <tr className="provider">
        <td className="place number">{place + 1}</td>
        <th scope="row">
          {name} {provider.active && <span className="tag">asked first</span>}
          <span className="muted small model">{[model, hostOf(endpoint)].filter(Boolean).join(' · ')}</span>
        </th>
        <td data-label="State">
          <span className={`state ${TONES[status]}`}>{STATES[status]}</span>
          {CIRCUITS[circuit] && <span className="warn small circuit">{CIRCUITS[circuit]}</span>}
        </td>
        <td className="number" data-label="Latency">
          {milliseconds(provider.latency_ms)}
        </td>
        <td className="number" data-label="First token">
          {milliseconds(provider.first_token_ms)}
        </td>
        <td className="number" data-label="Requests">
          {count(requests)}
        </td>
        <td className={`number ${errors > 0 ? 'bad' : ''}`} data-label="Errors">
          {errors > 0 ? `${count(errors)} (${share(errors / Math.max(1, requests))})` : '0'}
        </td>
        <td className="actions">
          <div className="buttons">
            <button
              type="button"
              disabled={trial.testing}
              onClick={() => void trial.test()}
              aria-label={`Test ${name}`}
            >
              Test
            </button>
            {mayChange && (
              <button type="button" onClick={() => edit(provider, place)} aria-label={`Edit ${name}`}>
                Edit
              </button>
            )}
            {mayChange && isFallback && (
              <>
                <button
                  type="button"
                  disabled={place === 1}
                  onClick={() => move(name, place - 1)}
                  aria-label={`Move ${name} up`}
                  aria-describedby={isNextToPrimary ? hint : undefined}
                >
                  ↑
                </button>
                <button
                  type="button"
                  disabled={place === places - 1}
                  onClick={() => move(name, place + 1)}
                  aria-label={`Move ${name} down`}
                >
                  ↓
                </button>
                <button type="button" className="danger" onClick={() => remove(provider)} aria-label={`Remove ${name}`}>
                  Remove
                </button>
              </>
            )}
          </div>
        </td>
      </tr>
      <tr className="provider-more">
        <td />
        <td colSpan={7}>
          {isNextToPrimary && (
            <p id={hint} className="small muted move-hint">
              It cannot move before the primary, which has settings of its own. To ask this vendor first, edit {primary}{' '}
              and give it this vendor, address and key.
            </p>
          )}
          <KeyList provider={provider} />
          {why !== null && failedAt !== null && (
            <p className="small last-error">
              <span className="muted">Last error, {moment(failedAt)}:</span> {why}
            </p>
          )}
          <TestOutcome trial={trial} keys={provider.keys} />
        </td>
      </tr>
    </tbody>
  )
}

const hostOf = (endpoint: string | null): string =>
  endpoint !== null && URL.canParse(endpoint) ? new URL(endpoint).host : ''
