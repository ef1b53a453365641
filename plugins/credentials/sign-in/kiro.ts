import { z } from 'zod'
import { askAuthority } from './authority.ts'
import { DEVICE_GRANT, refusedBy } from './oauth-replies.ts'
import type { SignIn } from './sign-in.ts'

const registered = z.looseObject({ clientId: z.string().min(1), clientSecret: z.string().min(1) })

const device = z.looseObject({
  deviceCode: z.string().min(1),
  userCode: z.string().min(1),
  verificationUri: z.string().min(1),
  verificationUriComplete: z.string().optional(),
  expiresIn: z.number().positive().default(600),
  interval: z.number().nonnegative().default(1),
})

const token = z.looseObject({
  accessToken: z.string().min(1),
  refreshToken: z.string().min(1).optional(),
  expiresIn: z.number().positive().optional(),
})

const SCOPES = 'codewhisperer:completions codewhisperer:analysis codewhisperer:conversations'

/** The device flow of AWS IAM Identity Center: JSON in camel case, and a client that registers itself first. */
export const kiro: SignIn = {
  name: 'kiro',
  settings: {
    region: { doc: 'Region of the identity center.', default: 'us-east-1' },
    start_url: { doc: 'Its start page; an organisation has its own.', default: 'https://view.awsapps.com/start' },
    scope: { doc: 'What is asked for.', default: SCOPES },
    url: { doc: 'The identity center itself.', default: 'https://oidc.{region}.amazonaws.com' },
  },
  notice: 'Kiro has no public API for other programs: using it from here may be against its terms of service.',
  renewBeforeMs: 600_000,
  async begin({ url = '', start_url = '', scope = '' }) {
    const client = await askAuthority(`${url}/client/register`, {
      json: {
        clientName: 'deflector',
        clientType: 'public',
        scopes: scope.split(/\s+/),
        grantTypes: [DEVICE_GRANT, 'refresh_token'],
      },
    })
    const made = registered.safeParse(client.body).data
    if (!made) throw refusedBy(url, client)
    const { clientId, clientSecret } = made
    const reply = await askAuthority(`${url}/device_authorization`, {
      json: { clientId, clientSecret, startUrl: start_url },
    })
    const { data } = device.safeParse(reply.body)
    if (!data) throw refusedBy(url, reply)
    return {
      userCode: data.userCode,
      url: data.verificationUri,
      completeUrl: data.verificationUriComplete,
      intervalMs: data.interval * 1000,
      lifeMs: data.expiresIn * 1000,
      private: { clientId, clientSecret, deviceCode: data.deviceCode },
    }
  },
  poll: ({ url = '' }, { private: { clientId, clientSecret, deviceCode } }) =>
    askAuthority(`${url}/token`, { json: { clientId, clientSecret, deviceCode, grantType: DEVICE_GRANT } }),
  read(body) {
    const { data } = token.safeParse(body)
    return data && { accessToken: data.accessToken, refreshToken: data.refreshToken, expiresIn: data.expiresIn }
  },
  // The client belongs to the token: no other one may renew it.
  keep: ({ url = '', region = '' }, grant) => ({
    means: { url, region, clientId: grant?.private.clientId ?? '', clientSecret: grant?.private.clientSecret ?? '' },
    headers: { authorization: 'Bearer {token}' },
  }),
  renew: ({ means: { url = '', clientId, clientSecret } }, refreshToken) =>
    askAuthority(`${url}/token`, { json: { clientId, clientSecret, refreshToken, grantType: 'refresh_token' } }),
  revocation: 'the access portal of the identity center',
}
