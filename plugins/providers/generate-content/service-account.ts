import { sign } from 'node:crypto'
import { type Clock, isProviderError, ProviderError } from 'deflector'
import { z } from 'zod'
import type { Connections } from '../upstream/http.ts'
import { parsedJson } from '../upstream/parsed-json.ts'
import type { Session } from '../upstream/sessions.ts'
import { requestToken } from '../upstream/token-request.ts'
import { isExposed } from '../upstream/url.ts'

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** Seconds that a token is asked for; the vendor gives no more. */
const LIFE = 3600
/** Milliseconds before its end at which it is renewed. */
const MARGIN = 300_000

const account = z.compile(
  z.looseObject({
    client_email: z.string().min(1),
    private_key: z.string().min(1),
    private_key_id: z.string().optional(),
    token_uri: z.url().default('https://oauth2.googleapis.com/token'),
  }),
)
const answer = z.compile(z.looseObject({ access_token: z.string().min(1), expires_in: z.number().default(LIFE) }))

export interface Means {
  readonly connections: Connections
  readonly clock: Clock
}

/** An access token for a service account, `key` being the JSON file that the vendor gave for it. Throws only `ProviderError`. */
export async function accessToken(key: string, name: string, means: Means): Promise<Session> {
  const given = account.safeParse(parsedJson(key)).data
  if (!given)
    throw new ProviderError('credential', `${name}: the key is not the JSON of a service account; see the option auth`)
  const url = new URL(given.token_uri)
  if (isExposed(url)) throw new ProviderError('credential', `${name}: token_uri of the service account is not https`)
  const assertion = signed(given, name, Math.floor(means.clock.now() / 1000))
  const sending = {
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(new URLSearchParams({ grant_type: GRANT, assertion }).toString()),
    name,
    secrets: [assertion, given.private_key],
  }
  const { data } = answer.safeParse(await requestToken(sending, means).catch(refuse))
  if (!data) throw new ProviderError('protocol', `${name} asked for a token and got something else`, { unsent: true })
  return { token: data.access_token, until: means.clock.monotonic() + data.expires_in * 1000 - MARGIN }
}

function signed(
  { client_email: iss, private_key: key, private_key_id: kid, token_uri: aud }: z.output<typeof account>,
  name: string,
  iat: number,
): string {
  const claims = { iss, scope: SCOPE, aud, iat, exp: iat + LIFE }
  const text = [{ alg: 'RS256', typ: 'JWT', ...(kid !== undefined && { kid }) }, claims]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  try {
    return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`
  } catch {
    // The reason may quote the key.
    throw new ProviderError('credential', `${name}: private_key of the service account cannot be read`)
  }
}

/** The vendor answers 400 to an assertion that it does not believe. That is our credential's fault, not the client's. */
function refuse(error: unknown): never {
  if (isProviderError(error) && error.reason === 'bad_request')
    throw new ProviderError('credential', error.message, error.status === undefined ? {} : { status: error.status })
  throw error
}
