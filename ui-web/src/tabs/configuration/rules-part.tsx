import type { ReactNode } from 'react'
import type { KeyedSetting } from '../../api/settings.ts'

interface RulesPartProps {
  readonly setting: KeyedSetting
  readonly title: string
  readonly about: string
  readonly problems: readonly string[]
  readonly children: ReactNode
}

/** A setting with an editor of its own: its head, the editor, and what is wrong. */
export function RulesPart({
  setting: { key, pending, writable, origin },
  title,
  about,
  problems,
  children,
}: RulesPartProps) {
  return (
    <section className="part rules" aria-label={title}>
      <div className="part-head">
        <h2>
          {title} {pending && <span className="mark plain">no effect yet</span>}
        </h2>
        <code className="muted small">{writable ? key : `${key}, from ${origin}`}</code>
      </div>
      <p className="muted rules-about">{about}</p>
      {children}
      <p className="bad small" role="alert">
        {problems.join(' ')}
      </p>
    </section>
  )
}
