import { type Credential, CredentialError } from '../credential.ts'
import { AuthorityAway } from './authority.ts'
import type { Granted, SignIn } from './sign-in.ts'

/** What is stored of a sign-in that was granted `now`. */
export function tokenOf(
  { name }: SignIn,
  { accessToken, refreshToken, expiresIn, scopes = [] }: Granted,
  kept: ReturnType<SignIn['keep']>,
  now: number,
): Credential {
  return {
    kind: 'token',
    access_token: accessToken,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(expiresIn !== undefined && { expires_at: now + expiresIn * 1000 }),
    scopes: [...scopes],
    sign_in: name,
    ...kept,
    stored_at: now,
  }
}

/** A person who waits is told what a server that is away means. */
export const away = (error: unknown): never => {
  throw error instanceof AuthorityAway ? new CredentialError(`${error.message}; try again later`) : error
}
