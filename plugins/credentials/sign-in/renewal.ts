import { CredentialError, type Token } from '../credential.ts'
import { signIns } from './index.ts'

/** Does this token end so soon that it should be renewed first? */
export const endsSoon = ({ expires_at: end, sign_in: by, refresh_token: refresh }: Token, now: number): boolean =>
  end !== undefined && refresh !== undefined && end - now < (signIns.get(by)?.renewBeforeMs ?? 0)

/** Has it ended? */
export const isOver = ({ expires_at: end }: Token, now: number): boolean => end !== undefined && end <= now

/**
 * The token after a renewal. A refresh token that the server replaces is replaced, too. Throws `CredentialError` where only
 * a new sign-in helps, and `AuthorityAway` where the server does not answer.
 */
export async function renewed(token: Token, now: number): Promise<Token> {
  const signIn = signIns.get(token.sign_in)
  const { refresh_token: refresh } = token
  if (!signIn || refresh === undefined) throw new CredentialError(again(token, 'it cannot be renewed'))
  const reply = await signIn.renew(token, refresh)
  const granted = signIn.read(reply.body)
  if (!granted) {
    const { error } = reply.body
    throw new CredentialError(again(token, typeof error === 'string' ? error.slice(0, 100) : `status ${reply.status}`))
  }
  const { expires_at: _, ...kept } = token
  return {
    ...kept,
    access_token: granted.accessToken,
    refresh_token: granted.refreshToken ?? refresh,
    ...(granted.expiresIn !== undefined && { expires_at: now + granted.expiresIn * 1000 }),
    renewed_at: now,
  }
}

const again = ({ sign_in: name }: Token, why: string): string =>
  `the sign-in of ${name} is over (${why}); run "deflector auth ${name}"`
