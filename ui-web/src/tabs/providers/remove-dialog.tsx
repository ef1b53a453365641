import { useState } from 'react'
import { ask, messageOf } from '../../api/ask.ts'
import { Dialog } from '../../ui/dialog.tsx'
import type { Provider } from './chain.ts'

interface RemoveProps {
  readonly provider: Provider
  close(): void
  done(message: string): void
}

/** Asks before a provider leaves the settings file. */
export function RemoveDialog({ provider: { name }, close, done }: RemoveProps) {
  const [refusal, setRefusal] = useState('')
  const remove = async (): Promise<void> => {
    try {
      done((await ask('POST /api/admin/providers/remove', { body: { name } })).message)
    } catch (error) {
      setRefusal(messageOf(error))
    }
  }
  return (
    <Dialog title={`Remove ${name}?`} close={close}>
      <p>Its entry is taken out of the settings file, its key included. Requests go to the other providers.</p>
      <p className="refusal" role="alert">
        {refusal}
      </p>
      <div className="buttons dialog-end">
        <button type="button" onClick={close}>
          Keep it
        </button>
        <button type="button" className="danger" onClick={() => void remove()}>
          Remove {name}
        </button>
      </div>
    </Dialog>
  )
}
