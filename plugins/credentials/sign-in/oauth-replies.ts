import { z } from 'zod'
import { CredentialError } from '../credential.ts'
import { type AuthorityReply, askAuthority } from './authority.ts'
import type { DeviceGrant, Granted } from './sign-in.ts'

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Seconds between two polls where the server names none (RFC 8628, 3.2). */
const INTERVAL = 5
/** Seconds that a code is good for where the server does not say it. */
const LIFE = 600

const device = z.looseObject({
  device_code: z.string().min(1),
  user_code: z.string().min(1),
  verification_uri: z.string().min(1).optional(),
  /** One vendor's name for it. */
  verification_url: z.string().min(1).optional(),
  verification_uri_complete: z.string().optional(),
  expires_in: z.number().positive().default(LIFE),
  interval: z.number().nonnegative().default(INTERVAL),
})

const token = z.looseObject({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.number().positive().optional(),
  scope: z.string().optional(),
})

/** Asks a device endpoint of RFC 8628 for a code. */
export async function deviceGrant(url: string, form: Readonly<Record<string, string>>): Promise<DeviceGrant> {
  const reply = await askAuthority(url, { form })
  const { data } = device.safeParse(reply.body)
  const address = data?.verification_uri ?? data?.verification_url
  if (!data || address === undefined) throw refusedBy(url, reply)
  return {
    userCode: data.user_code,
    url: address,
    completeUrl: data.verification_uri_complete,
    intervalMs: data.interval * 1000,
    lifeMs: data.expires_in * 1000,
    private: { device_code: data.device_code },
  }
}

/** The answer of a token endpoint (RFC 6749, 5.1). */
export function granted(body: AuthorityReply['body']): Granted | undefined {
  const { data } = token.safeParse(body)
  if (!data) return undefined
  return {
    accessToken: data.access_token,
    refreshToken: data.refresh_token,
    expiresIn: data.expires_in,
    scopes: data.scope?.split(/[\s,]+/).filter(Boolean),
  }
}

/** The members of a form that have a value. */
export const filled = (form: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(form).flatMap(([name, value]) => (value ? [[name, value]] : [])))

/** A refusal, in the words of the server: an error code and a sentence hold no secret. */
export function refusedBy(url: string, { status, body }: AuthorityReply): CredentialError {
  const said = [body.error, body.error_description ?? body.message].filter(word => typeof word === 'string')
  const words = said
    .join(': ')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, 300)
  return new CredentialError(`${new URL(url).host} refused the sign-in (${words || `status ${status}`})`)
}
