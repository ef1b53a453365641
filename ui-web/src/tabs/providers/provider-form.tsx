import { type FormEvent, useState } from 'react'
import { ask, messageOf } from '../../api/ask.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { type ChainSettings, PRIMARY_FIELDS, type Provider } from './chain.ts'
import { ProviderField } from './provider-field.tsx'
import { changesOf, type Filled, fieldsOf, filledFrom } from './provider-fields.ts'

interface FormProps {
  readonly settings: ChainSettings
  /** The provider that is changed; absent for a new one. */
  readonly edited?: { readonly place: number; readonly provider: Provider }
  close(): void
  done(message: string): void
}

/** A provider of the settings file: a new one, or one that is there. */
export function ProviderForm({ settings, edited, close, done }: FormProps) {
  const before = edited ? filledFrom(settings.entries[edited.place] ?? {}) : {}
  const [filled, setFilled] = useState<Filled>(before)
  const [refusal, setRefusal] = useState('')
  const [saving, setSaving] = useState(false)
  const isPrimary = edited?.place === 0
  const known = Object.entries(settings.fields).filter(
    // What a provider is called stays: routes and quotas go by it.
    ([name]) => (!isPrimary || PRIMARY_FIELDS.includes(name)) && !(edited && name === 'name'),
  )
  const { common, rare } = fieldsOf(Object.fromEntries(known))
  const set = (name: string, value: string): void => setFilled({ ...filled, [name]: value })

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const changes = changesOf([...common, ...rare], before, filled)
    setSaving(true)
    try {
      done(edited ? await editProvider(edited.provider.name, changes) : await addProvider(changes))
    } catch (error) {
      setRefusal(messageOf(error))
      setSaving(false)
    }
  }
  return (
    <Dialog title={edited ? `Edit ${edited.provider.name}` : 'Add a provider'} close={close}>
      <form onSubmit={event => void submit(event)} className="provider-form">
        {common.map(field => (
          <ProviderField key={field.name} field={field} value={filled[field.name] ?? ''} set={set} />
        ))}
        {rare.length > 0 && (
          <details>
            <summary>More</summary>
            <div className="provider-form">
              {rare.map(field => (
                <ProviderField key={field.name} field={field} value={filled[field.name] ?? ''} set={set} />
              ))}
            </div>
          </details>
        )}
        <p className="refusal" role="alert">
          {refusal}
        </p>
        <div className="buttons dialog-end">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={saving}>
            {edited ? 'Save' : 'Add'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

async function editProvider(name: string, changes: Readonly<Record<string, unknown>>): Promise<string> {
  if (Object.keys(changes).length === 0) return 'nothing was changed'
  return (await ask('POST /api/admin/providers/edit', { body: { ...changes, name } })).message
}

async function addProvider(fields: Readonly<Record<string, unknown>>): Promise<string> {
  const { provider } = fields
  return (await ask('POST /api/admin/providers/add', { body: { ...fields, provider: String(provider ?? '') } })).message
}
