import { useState } from 'react'
import { changed } from '../../api/answers.ts'
import { ask, messageOf } from '../../api/ask.ts'
import { useFilter } from '../../shell/place.ts'
import { Choice } from '../../ui/choice.tsx'
import { Failure, Skeleton } from '../../ui/notices.tsx'
import { type Drafts, dropDrafts, useDrafts } from './drafts.ts'
import { useFocusAfterSave } from './focus-after-save.ts'
import { PipelineView } from './pipeline/pipeline-view.tsx'
import { ReviewDialog } from './review-dialog.tsx'
import { RulesView } from './rules-view.tsx'
import { type Config, useConfig } from './settings.ts'
import { SettingsView } from './settings-view.tsx'
import { type Problems, useCheck } from './use-check.ts'
import './configuration.css'

const VIEWS = { settings: 'Settings', models: 'Models', pipeline: 'Pipeline' } as const
type View = keyof typeof VIEWS

const isView = (name: string | undefined): name is View => name !== undefined && Object.hasOwn(VIEWS, name)

/** The settings and where each comes from, the rules for models, and the pipeline that serves. */
export function ConfigurationTab() {
  const config = useConfig()
  const drafts = useDrafts()
  const problems = useCheck(drafts)
  const [given, setView] = useFilter('view')
  const [reviewing, setReviewing] = useState(false)
  const [outcome, setOutcome] = useState<string>()
  const { fallback, saved } = useFocusAfterSave<HTMLDivElement>(config.data?.revision)
  const view = isView(given) ? given : 'settings'
  return (
    <>
      <div className="screen-head">
        <h1>Configuration</h1>
        <Choice
          label="Part of the configuration"
          options={VIEWS}
          chosen={view}
          choose={one => setView(one === 'settings' ? undefined : one)}
        />
      </div>
      <Failure error={config.error} stale={config.data !== undefined} retry={() => void config.refresh()} />
      <div role="status" ref={fallback} tabIndex={-1}>
        {outcome !== undefined && <p className="notice">{sentence(outcome)}</p>}
      </div>
      {config.data && view !== 'pipeline' && <FileState config={config.data} />}
      {view === 'pipeline' && <PipelineView />}
      {view !== 'pipeline' && !config.data && !config.error && (
        <Skeleton>
          <div className="settings-waiting" />
        </Skeleton>
      )}
      {view === 'settings' && config.data && <SettingsView config={config.data} drafts={drafts} problems={problems} />}
      {view === 'models' && config.data && <RulesView config={config.data} drafts={drafts} problems={problems} />}
      {drafts.size > 0 && (
        <SaveBar
          drafts={drafts}
          problems={problems}
          review={() => {
            setOutcome(undefined)
            setReviewing(true)
          }}
        />
      )}
      {reviewing && config.data && (
        <ReviewDialog
          drafts={drafts}
          config={config.data}
          close={() => setReviewing(false)}
          done={(message, what) => {
            setReviewing(false)
            setOutcome(message)
            saved(what)
          }}
        />
      )}
    </>
  )
}

/** The file, where it says something else than the gateway does. */
function FileState({ config: { config_path, problems, unread, waiting } }: { readonly config: Config }) {
  const [refusal, setRefusal] = useState('')
  const reload = async (): Promise<void> => {
    try {
      await ask('POST /api/admin/config/reload', {})
      setRefusal('')
    } catch (error) {
      setRefusal(messageOf(error))
    }
    await changed()
  }
  return (
    <>
      <p className="muted config-file">
        Changes are written to <code>{config_path}</code>. Its comments stay.
      </p>
      {problems.length > 0 && (
        <p className="notice bad" role="alert">
          The gateway goes on with what it read before, because the file has mistakes: {problems.join('; ')}
        </p>
      )}
      {unread.length > 0 && (
        <div className="notice warn">
          <span>
            The file was edited, and the gateway has not read it again: <code>{unread.join(', ')}</code>
          </span>
          <button type="button" onClick={() => void reload()}>
            Reload
          </button>
        </div>
      )}
      {refusal !== '' && (
        <p className="notice bad" role="alert">
          {refusal}
        </p>
      )}
      {waiting.length > 0 && (
        <p className="notice warn">
          <span>
            Waiting for the next start: <code>{waiting.map(({ key }) => key).join(', ')}</code>
          </span>
        </p>
      )}
    </>
  )
}

interface SaveBarProps {
  readonly drafts: Drafts
  readonly problems: Problems
  review(): void
}

function SaveBar({ drafts, problems, review }: SaveBarProps) {
  // Those of a setting stand beside it.
  const others = problems.filter(({ setting }) => setting === null)
  return (
    <section className="save-bar" aria-label="Unsaved changes">
      <div>
        <b>{drafts.size === 1 ? '1 setting changed' : `${drafts.size} settings changed`}</b>
        {problems.length > 0 && (
          <span className="bad"> · {problems.length === 1 ? '1 problem' : `${problems.length} problems`}</span>
        )}
        <p className="bad small" role="alert">
          {others.map(({ message }) => message).join(' ')}
        </p>
      </div>
      <div className="buttons">
        <button type="button" onClick={dropDrafts}>
          Discard
        </button>
        <button type="button" className="primary" disabled={problems.length > 0} onClick={review}>
          Review
        </button>
      </div>
    </section>
  )
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
