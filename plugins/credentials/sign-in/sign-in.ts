import type { Token } from '../credential.ts'
import type { AuthorityReply } from './authority.ts'

/** A setting of a sign-in: `[sign_in.NAME]` in service.toml. */
export interface SignInSetting {
  readonly doc: string
  /** Absent: the sign-in does without, or it is `required`. `{other}` in it stands for another setting. */
  readonly default?: string
  readonly required?: true
}

/** The settings of one sign-in, filled. One that is not set is empty. */
export type SignInValues = Readonly<Record<string, string>>

/** A person has to confirm this (RFC 8628, 3.2). */
export interface DeviceGrant {
  readonly userCode: string
  readonly url: string
  /** The address with the code in it, where there is one. */
  readonly completeUrl?: string | undefined
  readonly intervalMs: number
  /** How long the code is good for, in milliseconds. */
  readonly lifeMs: number
  /** What `poll` needs; secret. */
  readonly private: Readonly<Record<string, string>>
}

/** What a token endpoint gave. */
export interface Granted {
  readonly accessToken: string
  readonly refreshToken?: string | undefined
  /** Seconds that the access token lives; absent: it has no end of its own. */
  readonly expiresIn?: number | undefined
  readonly scopes?: readonly string[] | undefined
}

/** A sign-in in a browser that comes back to this machine (RFC 8252), for vendors whose device codes grant too little. */
interface BrowserSignIn {
  /** The address that a person opens; `challenge` is of PKCE, by SHA-256. */
  authorize(values: SignInValues, asked: { redirectUri: string; challenge: string; state: string }): URL
  exchange(
    values: SignInValues,
    given: { redirectUri: string; code: string; verifier: string },
  ): Promise<AuthorityReply>
}

/** One vendor's sign-in by device authorization (RFC 8628). Its functions throw `CredentialError` and `AuthorityAway`. */
export interface SignIn {
  /** That of the vendor: credentials of its providers are made by this sign-in. */
  readonly name: string
  readonly settings: Readonly<Record<string, SignInSetting>>
  /** What a person should know before it. */
  readonly notice: string
  /** How long before its end a token is renewed, in milliseconds. */
  readonly renewBeforeMs: number
  /** Asks for a code. */
  begin(values: SignInValues): Promise<DeviceGrant>
  /** Asks once whether the code was confirmed. */
  poll(values: SignInValues, grant: DeviceGrant): Promise<AuthorityReply>
  readonly browser?: BrowserSignIn
  /** What is in the answer of the token endpoint; `undefined` where it has no token. */
  read(body: AuthorityReply['body']): Granted | undefined
  /** How a token is shown and renewed later. `grant` is absent after a sign-in by browser. */
  keep(values: SignInValues, grant?: DeviceGrant): Pick<Token, 'means' | 'headers'>
  /** Asks for another access token. */
  renew(token: Token, refreshToken: string): Promise<AuthorityReply>
  /** Ends it at the vendor; absent: a person does that, as `revocation` says. */
  revoke?(token: Token): Promise<void>
  readonly revocation: string
}
