import { useState } from 'react'
import { changed, useAnswer } from '../../api/answers.ts'
import { ask, messageOf } from '../../api/ask.ts'
import { Failure, Skeleton } from '../../ui/notices.tsx'
import { type Provider, useChainSettings } from './chain.ts'
import { ChainTable } from './chain-table.tsx'
import { ProviderForm } from './provider-form.tsx'
import { RemoveDialog } from './remove-dialog.tsx'
import './providers.css'

/** What is open over the table. */
type Open =
  | { readonly kind: 'nothing' | 'add' }
  | { readonly kind: 'edit'; readonly place: number; readonly provider: Provider }
  | { readonly kind: 'remove'; readonly provider: Provider }

const NOTHING: Open = { kind: 'nothing' }

/** The chain of providers, in the order in which they are asked, and how to change it. */
export function ProvidersTab() {
  const chain = useAnswer('GET /api/admin/providers', {}, 5000)
  const settings = useChainSettings()
  const [open, setOpen] = useState<Open>(NOTHING)
  const [outcome, setOutcome] = useState<{ readonly good: boolean; readonly text: string }>()
  const providers = chain.data?.providers
  const close = (): void => setOpen(NOTHING)
  const done = (message: string): void => {
    setOutcome({ good: true, text: message })
    setOpen(NOTHING)
    void changed()
  }
  const move = async (name: string, position: number): Promise<void> => {
    try {
      done((await ask('POST /api/admin/providers/move', { body: { name, position } })).message)
    } catch (error) {
      setOutcome({ good: false, text: messageOf(error) })
    }
  }
  const mayChange = settings !== undefined && settings.fixed === undefined
  return (
    <>
      <div className="screen-head">
        <h1>Providers</h1>
        {mayChange && (
          <button type="button" className="primary" onClick={() => setOpen({ kind: 'add' })}>
            Add a provider
          </button>
        )}
      </div>
      <Failure error={chain.error} stale={providers !== undefined} retry={() => void chain.refresh()} />
      <div role="status">
        {outcome && <p className={`notice ${outcome.good ? '' : 'bad'}`}>{sentence(outcome.text)}</p>}
      </div>
      {settings?.fixed && <p className="notice">{settings.fixed}</p>}
      <p className="muted lead-in">
        A request that no layer answers goes to the first provider. The next one is asked where it fails.
      </p>
      {providers ? (
        <ChainTable
          providers={providers}
          mayChange={mayChange}
          move={(name, position) => void move(name, position)}
          edit={(provider, place) => setOpen({ kind: 'edit', place, provider })}
          remove={provider => setOpen({ kind: 'remove', provider })}
        />
      ) : (
        <Skeleton>
          <div className="chain-frame">…</div>
        </Skeleton>
      )}
      {settings && open.kind === 'add' && <ProviderForm settings={settings} close={close} done={done} />}
      {settings && open.kind === 'edit' && <ProviderForm settings={settings} edited={open} close={close} done={done} />}
      {open.kind === 'remove' && <RemoveDialog provider={open.provider} close={close} done={done} />}
    </>
  )
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
