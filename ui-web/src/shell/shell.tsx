import type { ReactNode } from 'react'
import { useAnswer } from '../api/answers.ts'
import { signOut } from '../api/session-key.ts'
import { Icon } from './icons.tsx'
import { addressOf, TABS, type Tab } from './place.ts'
import { titles } from './titles.ts'
import './shell.css'

interface ShellProps {
  readonly tab: Tab
  readonly signedIn: boolean
  readonly children: ReactNode
}

/** What is around every tab. */
export function Shell({ tab, signedIn, children }: ShellProps) {
  return (
    <>
      <button type="button" className="skip" onClick={skip}>
        Skip to the content
      </button>
      <header className="bar">
        <a className="brand" href={addressOf('overview')}>
          <img src="/dashboard/logo.png" alt="" width="22" height="22" />
          deflector
        </a>
        <nav aria-label="Tabs">
          {TABS.map(name => (
            <a key={name} href={addressOf(name)} aria-current={name === tab ? 'page' : undefined}>
              <Icon name={name} />
              <span>{titles[name]}</span>
            </a>
          ))}
        </nav>
        <div className="bar-end">
          <GatewayState />
          {signedIn && (
            <button type="button" className="quiet" onClick={signOut}>
              Sign out
            </button>
          )}
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </>
  )
}

/** No link: the part of the address behind `#` names the tab. */
const skip = (): void => document.getElementById('content')?.focus()

const STATES = { ok: 'Serving', degraded: 'Degraded', draining: 'Draining' } as const

function GatewayState() {
  const { data, error } = useAnswer('GET /health', {}, 10_000)
  if (error) return <span className="state bad">Not reachable</span>
  if (!data) return null
  return (
    <span className={`state ${data.status === 'ok' ? 'good' : 'warn'}`} title={`deflector ${data.version}`}>
      {STATES[data.status]}
      <span className="muted version">{data.version}</span>
    </span>
  )
}
