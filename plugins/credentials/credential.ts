import { z } from 'zod'

/** A key as its vendor gave it out. */
const pastedKey = z.strictObject({
  kind: z.literal('key'),
  key: z.string().min(1),
  /** When it was stored, in milliseconds since 1970. */
  stored_at: z.number(),
})

/** What a sign-in came to. */
const signedIn = z.strictObject({
  kind: z.literal('token'),
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  /** When the access token ends, in milliseconds since 1970. Absent: it has no end of its own. */
  expires_at: z.number().optional(),
  scopes: z.array(z.string()).default([]),
  /** The sign-in that made it, which renews it, too. */
  sign_in: z.string().min(1),
  /** Headers that show it: `{token}` stands for the access token. Absent: it is shown as the vendor's keys are. */
  headers: z.record(z.string(), z.string()).optional(),
  /** What a renewal needs: endpoints, client id and secret, region. */
  means: z.record(z.string(), z.string()).default({}),
  stored_at: z.number(),
  renewed_at: z.number().optional(),
})

/** What is stored under one name. */
export const credential = z.discriminatedUnion('kind', [pastedKey, signedIn])

export type Credential = z.output<typeof credential>
export type Token = z.output<typeof signedIn>

/** Names that can be stored: those of providers and vendors, which are file names, too. */
export const isCredentialName = (name: string): boolean => /^[a-z0-9][a-z0-9._-]{0,99}$/i.test(name)

/** What calls are made with. */
export const secretOf = (stored: Credential): string => (stored.kind === 'key' ? stored.key : stored.access_token)

/** The credentials cannot be read or written. The message says what to do, and holds no secret. */
export class CredentialError extends Error {
  override readonly name = 'CredentialError'
}
