import { createHash, randomBytes } from 'node:crypto'
import { type Credential, CredentialError } from '../credential.ts'
import { away, tokenOf } from './granted-token.ts'
import { listenOnLoopback } from './loopback.ts'
import { refusedBy } from './oauth-replies.ts'
import type { SignIn, SignInValues } from './sign-in.ts'

/** How long a person may take, in milliseconds. */
const LIMIT_MS = 300_000

export interface BrowserFlow {
  readonly signIn: SignIn
  readonly values: SignInValues
  readonly limitMs?: number
  /** Milliseconds since 1970. */
  now(): number
  /** Shows the address to open. */
  show(url: string): void
}

/**
 * A sign-in in a browser of this machine: authorization code with PKCE (RFC 7636) and a loopback redirect. Throws
 * `CredentialError` where it is denied or takes too long.
 */
export async function signInByBrowser(flow: BrowserFlow): Promise<Credential> {
  const { signIn, values, limitMs = LIMIT_MS, now, show } = flow
  const { browser } = signIn
  if (!browser) throw new CredentialError(`${signIn.name} has no sign-in by browser; leave out --browser`)
  const state = randomBytes(24).toString('base64url')
  const verifier = randomBytes(48).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const loopback = await listenOnLoopback(state)
  const { redirectUri } = loopback
  let timer: NodeJS.Timeout | undefined
  try {
    show(browser.authorize(values, { redirectUri, challenge, state }).href)
    const late = new Promise<never>((_, reject) => {
      const error = new CredentialError('nobody signed in in time; run the command again')
      timer = setTimeout(() => reject(error), limitMs)
    })
    const code = await Promise.race([loopback.code, late])
    const reply = await browser.exchange(values, { redirectUri, code, verifier }).catch(away)
    const granted = signIn.read(reply.body)
    if (!granted) throw refusedBy(values.token_url ?? redirectUri, reply)
    return tokenOf(signIn, granted, signIn.keep(values), now())
  } finally {
    clearTimeout(timer)
    loopback.close()
  }
}
