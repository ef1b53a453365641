import { useId, useState } from 'react'
import type { KeyedSetting } from '../../api/settings.ts'
import { type Draft, setDraft } from './drafts.ts'
import { fieldsOf } from './fields.ts'
import { editIdOf } from './focus-after-save.ts'
import { patchOf } from './patches.ts'
import { SettingEditor } from './setting-editor.tsx'
import { kindOf, shown, textOf, valueIn } from './settings.ts'

interface RowProps {
  readonly setting: KeyedSetting
  readonly draft: Draft | undefined
  readonly problems: readonly string[]
  /** What counts until the next start, where that is something else. */
  readonly running: { readonly value: unknown } | undefined
  /** Where it is edited instead. */
  readonly elsewhere: { readonly name: string; readonly href: string } | undefined
}

/** One setting: its name and words, its value or an editor, and where the value comes from. */
export function SettingRow({ setting, draft, problems, running, elsewhere }: RowProps) {
  const [open, setOpen] = useState(false)
  const { key, doc, source, origin, writable, pending, restart } = setting
  const editing = open || draft !== undefined
  return (
    <li className={`setting ${draft ? 'drafted' : ''}`}>
      <div className="setting-name">
        <code className={source === 'default' ? '' : 'set'}>{key}</code>
        {source !== 'default' && <span className="visually-hidden">, changed</span>}
        {draft && <span className="mark">edited</span>}
        {pending && <span className="mark plain">no effect yet</span>}
        <p className="muted small">{doc}</p>
      </div>
      <div className="setting-value">
        {editing ? (
          <Editing setting={setting} draft={draft} problems={problems} opened={open} close={() => setOpen(false)} />
        ) : (
          <Value setting={setting} />
        )}
        {running && (
          <p className="warn small">
            From the next start on. Now it is {shown({ value: running.value, secret: setting.secret }) ?? 'not set'}.
          </p>
        )}
        {editing && restart && <p className="muted small">A change counts from the next start on.</p>}
      </div>
      <div className="setting-source small">
        {source === 'default' ? <span className="muted">default</span> : <code>{origin}</code>}
        {!writable && <span className="muted"> stands over the file</span>}
      </div>
      <div className="setting-act">
        {elsewhere ? (
          <a href={elsewhere.href}>{elsewhere.name}</a>
        ) : (
          writable &&
          !editing && (
            <button
              type="button"
              id={editIdOf(key)}
              className="quiet"
              aria-label={`Edit ${key}`}
              onClick={() => setOpen(true)}
            >
              Edit
            </button>
          )
        )}
      </div>
    </li>
  )
}

function Value({ setting }: { readonly setting: KeyedSetting }) {
  const text = shown(setting)
  if (text === undefined) return <span className="muted">not set</span>
  return (
    <code className="value" title={text}>
      {text}
    </code>
  )
}

type EditingProps = Pick<RowProps, 'setting' | 'draft' | 'problems'> & {
  /** By a click just now. */
  readonly opened: boolean
  close(): void
}

function Editing({ setting, draft, problems, opened, close }: EditingProps) {
  const id = useId()
  const kind = kindOf(setting)
  const { key, value, secret, expects, variables, source } = setting
  const change = (text: string): void => setDraft(key, draftOf(setting, text))
  const reset = (): void => setDraft(key, { text: textOf(kind, setting.default), value: null })
  const cancel = (): void => {
    setDraft(key, undefined)
    close()
  }
  const isReset = draft?.value === null
  const fields = fieldsOf(setting.schema)
  return (
    <div className="editing">
      <label htmlFor={id} className="visually-hidden">
        {key}
      </label>
      <SettingEditor
        id={id}
        setting={setting}
        text={draft?.text ?? textOf(kind, value)}
        invalid={problems.length > 0}
        describedBy={`${id}-problem ${id}-hint`}
        focused={opened}
        change={change}
      />
      <p id={`${id}-problem`} className="bad small" role="alert">
        {problems.join(' ')}
      </p>
      <p id={`${id}-hint`} className="muted small">
        {isReset ? 'It goes back to the default.' : problems.length === 0 && `It must be ${expects}.`}
        {kind === 'list' && ' One a line.'}
        {fields.length > 0 && ` Fields of an entry: ${fields.join(', ')}.`}
        {secret && kind === 'json' && ' A masked key stays as it is.'} Variable <code>{variables[0]}</code>.
      </p>
      <div className="buttons">
        <button type="button" className="link" onClick={cancel}>
          Cancel
        </button>
        {source === 'file' && !isReset && (
          <button type="button" className="link" onClick={reset}>
            {kind === 'secret' ? 'Take it out' : 'Back to the default'}
          </button>
        )}
      </div>
    </div>
  )
}

/** `undefined` where the text says what is set already. */
function draftOf(setting: KeyedSetting, text: string): Draft | undefined {
  const kind = kindOf(setting)
  if (kind === 'secret') return text === '' ? undefined : { text, value: text }
  const value = patchOf(setting.value, valueIn(kind, text))
  const unset = kind === 'text' && text === '' && setting.value === null
  // A setting that may be absent has no empty text.
  const sent = kind === 'text' && text === '' && setting.default === null ? null : value
  return value === undefined || unset ? undefined : { text, value: sent }
}
