import { type Credential, CredentialError } from '../credential.ts'
import { AuthorityAway, type AuthorityReply } from './authority.ts'
import { away, tokenOf } from './granted-token.ts'
import { refusedBy } from './oauth-replies.ts'
import type { DeviceGrant, SignIn, SignInValues } from './sign-in.ts'

/** What the flow needs of time. */
export interface FlowClock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds since some moment; it never jumps. */
  monotonic(): number
  sleep(ms: number): Promise<void>
}

/** What `slow_down` adds to the interval, in milliseconds (RFC 8628, 3.5). */
const SLOWER_MS = 5_000
/** Servers punish a poll that comes early by their clock. */
const SAFETY_MS = 3_000

/**
 * The whole flow (RFC 8628): asks for a code, hands it to `show`, and polls until a person has confirmed it. Throws
 * `CredentialError` where that is denied or takes too long.
 */
export async function signInByDevice(
  signIn: SignIn,
  values: SignInValues,
  clock: FlowClock,
  show: (grant: DeviceGrant) => void,
): Promise<Credential> {
  const grant = await signIn.begin(values).catch(away)
  show(grant)
  const end = clock.monotonic() + grant.lifeMs
  let interval = grant.intervalMs
  for (;;) {
    if (clock.monotonic() + interval > end) throw tooLate()
    await clock.sleep(interval + Math.min(SAFETY_MS, interval))
    const reply = await signIn.poll(values, grant).catch(error => {
      if (error instanceof AuthorityAway) return undefined
      throw error
    })
    if (!reply) {
      interval += SLOWER_MS // a server that is away is asked less often, as the standard advises
      continue
    }
    const granted = signIn.read(reply.body)
    if (granted) return tokenOf(signIn, granted, signIn.keep(values, grant), clock.now())
    interval = nextInterval(interval, reply, grant)
  }
}

/** The interval after an answer without a token. Throws where no further poll helps. */
function nextInterval(interval: number, reply: AuthorityReply, { url }: DeviceGrant): number {
  const { error, interval: wanted } = reply.body
  switch (error) {
    case 'authorization_pending':
      return interval
    case 'slow_down':
      return typeof wanted === 'number' && wanted * 1000 > interval ? wanted * 1000 : interval + SLOWER_MS
    case 'access_denied':
      throw new CredentialError('the sign-in was denied in the browser; nothing was stored')
    case 'expired_token':
      throw tooLate()
    default:
      throw refusedBy(url, reply)
  }
}

const tooLate = (): CredentialError =>
  new CredentialError('the code was not confirmed in time; run the command again for another one')
