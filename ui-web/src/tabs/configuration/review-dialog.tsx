import { useEffect, useState } from 'react'
import { changed } from '../../api/answers.ts'
import { type Answer, AskError, ask, messageOf } from '../../api/ask.ts'
import { settingAt } from '../../api/settings.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { DiffText } from './diff-text.tsx'
import { type Drafts, dropDrafts, patchOfDrafts } from './drafts.ts'
import { type Config, changeText } from './settings.ts'

interface ReviewProps {
  readonly drafts: Drafts
  /** As the screen has it. */
  readonly config: Config
  close(): void
  /** `what`: the first setting that was changed, and the file that has it. */
  done(message: string, what: { readonly key: string | undefined; readonly revision: string }): void
}

type Checked = Answer<'POST /api/admin/config/check'>

/** What goes wrong; where the file has changed since it was read, it is read again first. */
interface Refusal {
  readonly text: string
  readonly stale: boolean
}

const refusalOf = (error: unknown): Refusal => ({
  text: messageOf(error),
  stale: error instanceof AskError && error.status === 409,
})

/** The changes as the file will have them, and the button that makes them. */
export function ReviewDialog({ drafts, config, close, done }: ReviewProps) {
  const [checked, setChecked] = useState<Checked>()
  const [refusal, setRefusal] = useState<Refusal>()
  const [applying, setApplying] = useState(false)
  const given = { query: { revision: config.revision }, body: patchOfDrafts(drafts) }
  const patch = JSON.stringify(given)
  useEffect(() => {
    const aborter = new AbortController()
    setRefusal(undefined)
    setChecked(undefined)
    ask('POST /api/admin/config/check', given, aborter.signal).then(setChecked, error => {
      if (!aborter.signal.aborted) setRefusal(refusalOf(error))
    })
    return () => aborter.abort()
  }, [patch])

  const apply = async (): Promise<void> => {
    setApplying(true)
    try {
      const { message, revision } = await ask('POST /api/admin/config', given)
      const [key] = drafts.keys()
      dropDrafts()
      done(message, { key, revision })
      void changed()
    } catch (error) {
      setRefusal(refusalOf(error))
      setApplying(false)
    }
  }
  const ready = checked?.ok === true && checked.diff !== '' && !refusal
  return (
    <Dialog title="Review the changes" close={close}>
      <div className="review" aria-busy={!checked && !refusal}>
        {!checked && !refusal && <p className="muted">Checking with the gateway…</p>}
        {!refusal && checked && <Outcome checked={checked} drafts={drafts} config={config} />}
        {refusal && (
          <p className="notice bad" role="alert">
            {refusal.text}
          </p>
        )}
        {refusal?.stale && <p>Your changes are kept here. Read the file again to see them beside what it says now.</p>}
      </div>
      <div className="buttons dialog-end">
        <button type="button" onClick={close}>
          Back
        </button>
        {refusal?.stale ? (
          <button type="button" className="primary" onClick={() => void changed()}>
            Read the file again
          </button>
        ) : (
          <button type="button" className="primary" disabled={!ready || applying} onClick={() => void apply()}>
            {applying ? 'Applying…' : 'Save and apply'}
          </button>
        )}
      </div>
    </Dialog>
  )
}

type OutcomeProps = Pick<ReviewProps, 'drafts' | 'config'> & { readonly checked: Checked }

function Outcome({ checked: { problems, diff, in_effect, until_restart }, ...known }: OutcomeProps) {
  if (problems.length > 0)
    return (
      <ul role="alert">
        {problems.map(({ message }) => (
          <li key={message} className="bad">
            {message}
          </li>
        ))}
      </ul>
    )
  if (diff === '') return <p>The file says so already.</p>
  return (
    <>
      <DiffText diff={diff} />
      <dl className="effects">
        {in_effect.length > 0 && (
          <>
            <dt>At once, by a reload</dt>
            <dd>
              <Changes names={in_effect} {...known} />
            </dd>
          </>
        )}
        {until_restart.length > 0 && (
          <>
            <dt className="warn">From the next start on</dt>
            <dd>
              <Changes names={until_restart} {...known} />
            </dd>
          </>
        )}
      </dl>
    </>
  )
}

type ChangesProps = Pick<ReviewProps, 'drafts' | 'config'> & { readonly names: readonly string[] }

/** What each setting was, and what it will be. */
const Changes = ({ names, drafts, config: { settings } }: ChangesProps) => (
  <ul>
    {names.map(name => {
      const [setting, draft] = [settingAt(settings, name), drafts.get(name)]
      const change = setting && draft && changeText(setting, draft)
      return (
        <li key={name}>
          <code>{name}</code> {change && <span className="nowrap">{change}</span>}
        </li>
      )
    })}
  </ul>
)
