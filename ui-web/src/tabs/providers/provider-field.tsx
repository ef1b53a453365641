import { useId } from 'react'
import type { Field } from './provider-fields.ts'

interface FieldProps {
  readonly field: Field
  readonly value: string
  set(name: string, value: string): void
}

/** One field of a provider's form. */
export function ProviderField({ field, value, set }: FieldProps) {
  const id = useId()
  const { name, label, hint, kind } = field
  if (kind === 'flag')
    return (
      <label className="check">
        <input
          type="checkbox"
          checked={value !== ''}
          onChange={event => set(name, event.target.checked ? 'true' : '')}
        />
        {label}
      </label>
    )
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <Input id={id} field={field} value={value} set={set} />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="muted small">
          {hint}
        </p>
      )}
    </div>
  )
}

function Input({ id, field, value, set }: FieldProps & { readonly id: string }) {
  const { name, kind, options, required, hint } = field
  const change = (event: { readonly target: { readonly value: string } }): void => set(name, event.target.value)
  if (kind === 'choice')
    return (
      <select id={id} value={value} onChange={change}>
        <option value="">As for all</option>
        {options.map(option => (
          <option key={option} value={option}>
            {option.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
    )
  return (
    <input
      id={id}
      // A masked key is shown as it is; a new one is nobody's to read.
      type={kind === 'number' ? 'number' : kind === 'secret' && !value.includes('…') ? 'password' : 'text'}
      {...(kind === 'number' && { step: 'any', min: 0 })}
      {...(hint !== undefined && { 'aria-describedby': `${id}-hint` })}
      required={required}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onFocus={event => event.target.value.includes('…') && event.target.select()}
      onChange={change}
    />
  )
}
