import { type FormEvent, useEffect, useRef, useState } from 'react'
import { signIn } from '../api/session-key.ts'
import './sign-in.css'

/** Asks for the gateway's key. `refusal` is why; empty where none was sent yet. */
export function SignIn({ refusal }: { readonly refusal: string }) {
  const [key, setKey] = useState('')
  const field = useRef<HTMLInputElement>(null)
  // It is all there is on the page.
  useEffect(() => field.current?.focus(), [])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (key.trim() !== '') signIn(key.trim())
  }
  return (
    <main className="sign-in">
      <form onSubmit={submit}>
        <img src="/dashboard/logo.png" alt="" width="40" height="40" />
        <h1>Sign in to deflector</h1>
        <p className="muted">This gateway asks for a key that may administer it.</p>
        <label htmlFor="key">Gateway key</label>
        <input
          id="key"
          ref={field}
          type="password"
          autoComplete="current-password"
          spellCheck={false}
          required
          value={key}
          onChange={event => setKey(event.target.value)}
          aria-describedby="key-refusal key-note"
          aria-invalid={refusal !== ''}
        />
        <p id="key-refusal" className="refusal" role="alert">
          {refusal}
        </p>
        <button type="submit" className="primary">
          Sign in
        </button>
        <p id="key-note" className="muted small">
          It is the value of <code>gateway_api_key</code>, or one of <code>gateway_api_keys</code> with{' '}
          <code>admin = true</code>. It stays in this browser tab.
        </p>
      </form>
    </main>
  )
}
