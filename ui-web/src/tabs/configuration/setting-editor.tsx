import type { ChangeEvent } from 'react'
import type { KeyedSetting } from '../../api/settings.ts'
import { kindOf } from './settings.ts'

interface EditorProps {
  readonly id: string
  readonly setting: KeyedSetting
  readonly text: string
  readonly invalid: boolean
  /** Ids of what explains it. */
  readonly describedBy: string
  readonly focused: boolean
  change(text: string): void
}

/** The control that fits a setting's type. */
export function SettingEditor({ id, setting, text, invalid, describedBy, focused, change }: EditorProps) {
  const kind = kindOf(setting)
  const shared = {
    id,
    value: text,
    'aria-invalid': invalid,
    'aria-describedby': describedBy,
    autoFocus: focused,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>) =>
      change(event.target.value),
  }
  if (kind === 'flag' || kind === 'choice')
    return (
      <select {...shared}>
        {(kind === 'flag' ? ['true', 'false'] : (setting.schema.enum ?? [])).map(option => (
          <option key={String(option)}>{String(option)}</option>
        ))}
      </select>
    )
  if (kind === 'list' || kind === 'json')
    return (
      <textarea
        {...shared}
        className="mono"
        rows={Math.min(16, Math.max(3, text.split('\n').length + 1))}
        spellCheck={false}
      />
    )
  if (kind === 'secret')
    return <input {...shared} type="password" autoComplete="new-password" placeholder="New value" spellCheck={false} />
  return (
    <input
      {...shared}
      type="text"
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      autoComplete="off"
      spellCheck={false}
    />
  )
}
