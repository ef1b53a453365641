import { type Clock, type HostLog, ProviderError } from 'deflector'
import {
  AuthorityAway,
  type Credential,
  CredentialError,
  type CredentialStore,
  endsSoon,
  isOver,
  renewed,
  secretOf,
} from 'deflector/credentials'
import type { StoredCredential } from 'deflector/facets/credentials'
import type { LiveCredentials } from './live-credentials.ts'

/** Milliseconds until a renewal that failed is tried again, while the token is still good. */
const PATIENCE_MS = 30_000

/** Keeps tokens valid: renewed once for all calls that wait, and once among all processes. */
export class Renewals {
  readonly #running = new Map<string, Promise<StoredCredential>>()
  /** Refusals that only a new sign-in ends, by name, each with the token that was refused. */
  readonly #over = new Map<string, { readonly key: string; readonly error: CredentialError }>()
  /** By name, on the monotonic clock. */
  readonly #notBefore = new Map<string, number>()

  constructor(
    private readonly store: CredentialStore,
    private readonly live: LiveCredentials,
    private readonly clock: Clock,
    private readonly log: HostLog,
  ) {}

  /** The credential as it may be sent now. Throws `ProviderError` where its token has ended and cannot be renewed. */
  async current(found: StoredCredential): Promise<StoredCredential> {
    const credential = this.live.credential(found.name)
    if (credential?.kind !== 'token' || !endsSoon(credential, this.clock.now())) return this.live.stored(found)
    const valid = !isOver(credential, this.clock.now())
    if (valid && (this.#notBefore.get(found.name) ?? 0) > this.clock.monotonic()) return this.live.stored(found)
    try {
      return await this.#shared(found)
    } catch (error) {
      if (!valid) throw error
      this.#notBefore.set(found.name, this.clock.monotonic() + PATIENCE_MS)
      this.log.degraded(
        `renewal of ${found.name}`,
        `the token of ${found.name} is not renewed yet: ${messageOf(error)}`,
      )
      return this.live.stored(found)
    }
  }

  /** Another one in place of one that the vendor refused; `undefined` where it cannot be renewed. */
  async renewed(found: StoredCredential): Promise<StoredCredential | undefined> {
    const credential = this.live.credential(found.name)
    if (credential?.kind !== 'token' || credential.refresh_token === undefined) return undefined
    // Another call may have renewed it meanwhile.
    if (secretOf(credential) !== found.key) return this.live.stored(found)
    return this.#shared(found)
  }

  /** Calls that need the same token wait for one renewal. */
  #shared(found: StoredCredential): Promise<StoredCredential> {
    const running = this.#running.get(found.name) ?? this.#renew(found).finally(() => this.#running.delete(found.name))
    this.#running.set(found.name, running)
    return running
  }

  async #renew({ name, key }: StoredCredential): Promise<StoredCredential> {
    try {
      const next = await this.store.update(name, async current => this.#next(name, current, key))
      if (!next) throw new CredentialError(`${name} was signed out; run "deflector auth ${name}"`)
      this.#notBefore.delete(name)
      this.log.recovered(`renewal of ${name}`, `the token of ${name} is renewed`)
      return this.live.put(name, next)
    } catch (error) {
      if (error instanceof AuthorityAway) throw new ProviderError('network', error.message)
      if (error instanceof CredentialError) throw new ProviderError('credential', error.message)
      throw error
    }
  }

  /** What is stored in place of `current`; `undefined` where another process has renewed it already. */
  async #next(name: string, current: Credential | undefined, key: string): Promise<Credential | undefined> {
    if (current?.kind !== 'token' || current.access_token !== key) return undefined
    const over = this.#over.get(name)
    if (over?.key === key) throw over.error
    try {
      return await renewed(current, this.clock.now())
    } catch (error) {
      if (error instanceof CredentialError) this.#over.set(name, { key, error })
      throw error
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof ProviderError ? error.message : 'an unknown error')
