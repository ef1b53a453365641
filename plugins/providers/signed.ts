import { AwsV4Signer } from 'aws4fetch'
import { defineProvider } from 'deflector'
import { httpOptions, httpProvider } from 'deflector/http-provider'
import { z } from 'zod'
import { scopeOf } from './signed/scope.ts'
import { isSigning, signingKey, signingKeyOf } from './signed/signing-key.ts'
import { quirksSchema } from './upstream/quirks-schema.ts'
import { urlProblem } from './upstream/url.ts'
import { WIRES, wiresOf } from './upstream/wires.ts'

/** The base URL, with the region where it belongs. */
const filled = (url: string, region: string | undefined): string =>
  region === undefined ? url : url.replace('{region}', region)

const options = z
  .strictObject({
    ...httpOptions,
    url: z.string().describe('Base URL, or the full URL of a call. `{region}` in it stands for the `region`.'),
    region: z
      .string()
      .regex(/^[a-z\d-]+$/, 'must be a region, such as eu-west-1')
      .optional()
      .describe('Region that requests are signed for; without it the one in the name of the host.'),
    api_key: httpOptions.api_key.describe(
      'A bearer key, or `ID:SECRET` or `ID:SECRET:SESSION_TOKEN` to sign requests with.',
    ),
    access_key_id: z
      .string()
      .trim()
      .default('')
      .describe('The key to sign with, in place of `api_key`: `${env:AWS_ACCESS_KEY_ID}`.'),
    secret_access_key: z.string().trim().default('').describe('The secret of `access_key_id`.'),
    session_token: z.string().trim().default('').describe('Its session token, if it is a temporary one.'),
    key_required: httpOptions.key_required.default(true),
    wire: z.enum(WIRES).default('chat-completions').describe('The format in which it is asked.'),
    quirks: quirksSchema.default({}).describe('Where the vendor differs from the chat-completions format.'),
  })
  .superRefine(({ url, region, access_key_id: id, secret_access_key: secret, ...given }, context) => {
    const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message })
    const full = filled(url, region)
    const problem = urlProblem(full)
    if (problem !== undefined) return refuse('url', problem)
    if ((id === '') !== (secret === '')) refuse('secret_access_key', 'set access_key_id and secret_access_key together')
    const own = id === '' ? given.api_key : signingKey(id, secret, given.session_token)
    const keys = [own, ...given.provider_keys.map(({ key }) => key)]
    if (keys.some(key => key.includes(':') && !isSigning(key)))
      refuse('api_key', 'a key to sign with must be ID:SECRET or ID:SECRET:SESSION_TOKEN, without spaces')
    if (keys.some(isSigning) && !scopeOf(full, region))
      refuse('region', 'set region: the url does not name the one that requests are signed for')
  })

/** A cloud that takes a bearer key, or requests that are signed (AWS Signature Version 4). */
export default defineProvider({
  name: 'signed',
  summary: 'One attempt at a cloud whose requests are signed.',
  options,
  apply(host, { url, region, access_key_id, secret_access_key, session_token, wire, quirks, ...options }) {
    const base = filled(url, region)
    const scope = scopeOf(base, region)
    const own = access_key_id === '' ? {} : { api_key: signingKey(access_key_id, secret_access_key, session_token) }
    return httpProvider(
      host,
      { ...options, ...own, url: base },
      {
        ...wiresOf(host.name, quirks, options.store)[wire],
        auth: key => (isSigning(key) ? {} : { authorization: `Bearer ${key}` }),
        async access({ key }, { url, body }) {
          const signing = key === undefined ? undefined : signingKeyOf(key)
          if (!signing || !scope) return {}
          const datetime = new Date(host.clock.now()).toISOString().replace(/[:-]|\.\d{3}/g, '')
          const signer = new AwsV4Signer({ method: 'POST', url: url.href, body, datetime, ...signing, ...scope })
          const { headers } = await signer.sign()
          // A vendor that finds another signature repeats what it has signed.
          const { accessKeyId: id, secretAccessKey: secret, sessionToken: token = '' } = signing
          return { headers: Object.fromEntries(headers), secrets: [id, secret, token] }
        },
      },
    )
  },
})
