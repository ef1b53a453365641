import { Cancellation, type Clock, ProviderError } from 'deflector'
import { z } from 'zod'
import { statusFailure } from '../upstream/failure.ts'
import { type Connections, request } from '../upstream/http.ts'
import { readError } from '../upstream/reply.ts'
import { isExposed } from '../upstream/url.ts'

/** A short-lived token, and where it is valid. */
export interface Session {
  readonly token: string
  /** Absent where the vendor leaves it to the caller. */
  readonly endpoint: string | undefined
  /** When a new one is needed, by the monotonic clock. */
  readonly until: number
}

export interface Exchange {
  /** Instance name, for messages. */
  readonly name: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly connections: Connections
  readonly clock: Clock
}

/** Tokens are renewed so long before they expire, as a call may take a while to arrive. */
const MARGIN = 60_000
const TIME_LIMIT = 10_000

const answer = z.compile(
  z.looseObject({
    token: z.string().min(1),
    /** Unix seconds. */
    expires_at: z.number().optional(),
    refresh_in: z.number().positive().optional(),
    endpoints: z.looseObject({ api: z.url().optional() }).optional(),
  }),
)

/** Short-lived tokens, by the long-lived ones that they were made from. */
export class Sessions {
  readonly #exchange: Exchange
  readonly #live: Map<string, Session>
  /** Exchanges under way: calls that need the same token wait for one of them. */
  readonly #awaited = new Map<string, Promise<Session>>()

  /** `live` is what an earlier generation of the gateway has of them. */
  constructor(exchange: Exchange, live: Map<string, Session>) {
    this.#exchange = exchange
    this.#live = live
  }

  /** Throws only `ProviderError`. */
  async of(key: string): Promise<Session> {
    const live = this.#live.get(key)
    if (live && live.until > this.#exchange.clock.monotonic()) return live
    const awaited = this.#awaited.get(key) ?? this.#renew(key)
    this.#awaited.set(key, awaited)
    return awaited
  }

  /** The vendor takes it no more. A newer one stays. */
  forget(key: string, session: Session): void {
    if (this.#live.get(key) === session) this.#live.delete(key)
  }

  async #renew(key: string): Promise<Session> {
    try {
      const session = await exchanged(key, this.#exchange)
      this.#live.set(key, session)
      return session
    } finally {
      this.#awaited.delete(key)
    }
  }
}

/** No client's leaving ends it, as others may wait for the same token. */
async function exchanged(key: string, { name, url, headers, connections, clock }: Exchange): Promise<Session> {
  const cancellation = new Cancellation()
  const giveUp = clock.after(TIME_LIMIT, () =>
    cancellation.cancel(new ProviderError('timeout', `${name} got no token in ${TIME_LIMIT / 1000} s`)),
  )
  try {
    const asked = { ...headers, authorization: `token ${key}`, accept: 'application/json' }
    const sending = {
      method: 'GET',
      url,
      baseHeaders: {},
      headers: asked,
      client: {},
      body: undefined,
      cancellation,
    } as const
    const reply = await request(connections, sending)
    if (reply.status !== 200) throw refusal(await readError(reply), reply, { name, key, clock })
    return sessionIn(await reply.bytes(), name, clock)
  } finally {
    giveUp()
  }
}

function refusal(
  text: string,
  { status, headers }: Pick<Parameters<typeof statusFailure>[0], 'status' | 'headers'>,
  { name, key, clock }: { readonly name: string; readonly key: string; readonly clock: Clock },
): ProviderError {
  const facts = { name: `the token of ${name}`, dialect: '', now: clock.now(), secrets: [key] }
  // An account without a subscription has no such page.
  const failure = statusFailure({ status: status === 404 ? 403 : status, headers, text }, facts)
  if (failure.reason !== 'credential') return failure
  const help = status === 401 ? 'sign in again' : 'the account has no plan, or its organisation does not allow it'
  return new ProviderError('credential', `${failure.message} (${help})`, { status })
}

function sessionIn(bytes: Buffer, name: string, clock: Clock): Session {
  const { data } = answer.safeParse(parsed(bytes))
  if (!data) throw new ProviderError('protocol', `${name} asked for a token and got something else`)
  const { token, refresh_in: refreshIn, expires_at: expiresAt, endpoints } = data
  const api = endpoints?.api
  if (api !== undefined && isExposed(new URL(api)))
    throw new ProviderError('protocol', `${name} was sent to a host that is not asked over https`)
  const left = refreshIn === undefined ? (expiresAt ?? 0) * 1000 - clock.now() : refreshIn * 1000
  return { token, endpoint: api, until: clock.monotonic() + left - MARGIN }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
