import { type Clock, isProviderError, ProviderError } from 'deflector'
import { z } from 'zod'
import type { Connections } from '../upstream/http.ts'
import type { Session } from '../upstream/sessions.ts'
import { requestToken } from '../upstream/token-request.ts'
import { isExposed } from '../upstream/url.ts'

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

const answer = z.compile(
  z.looseObject({
    token: z.string().min(1),
    /** Unix seconds. */
    expires_at: z.number().optional(),
    refresh_in: z.number().positive().optional(),
    endpoints: z.looseObject({ api: z.url().optional() }).optional(),
  }),
)

/** A short-lived token for a long-lived one. Throws only `ProviderError`. */
export async function exchanged(key: string, { name, url, headers, ...means }: Exchange): Promise<Session> {
  const asked = { ...headers, authorization: `token ${key}`, accept: 'application/json' }
  const sending = { method: 'GET', url, headers: asked, body: undefined, name, secrets: [key] } as const
  const { data } = answer.safeParse(await requestToken(sending, means).catch(refuse))
  if (!data) throw new ProviderError('protocol', `${name} asked for a token and got something else`, { unsent: true })
  const { token, refresh_in: refreshIn, expires_at: expiresAt, endpoints } = data
  const api = endpoints?.api
  if (api !== undefined && isExposed(new URL(api)))
    throw new ProviderError('protocol', `${name} was sent to a host that is not asked over https`)
  const left = refreshIn === undefined ? (expiresAt ?? 0) * 1000 - means.clock.now() : refreshIn * 1000
  return { token, endpoint: api, until: means.clock.monotonic() + left - MARGIN }
}

/** What helps against each refusal. An account without a subscription has no such page: 404. */
const HELP: Readonly<Record<number, string>> = {
  401: 'sign in again',
  403: 'the account has no plan, or its organisation does not allow it',
  404: 'the account has no plan, or its organisation does not allow it',
}

function refuse(error: unknown): never {
  const { status } = isProviderError(error) ? error : {}
  const help = status === undefined ? undefined : HELP[status]
  if (!isProviderError(error) || status === undefined || help === undefined) throw error
  throw new ProviderError('credential', `${error.message} (${help})`, { status })
}
