import { isPrivate } from 'deflector'
import { CredentialError } from '../credential.ts'

/** A body as an authorization server takes it. */
export type Sent = { readonly form: Readonly<Record<string, string>> } | { readonly json: unknown }

export interface AuthorityReply {
  readonly status: number
  /** Empty where the body is no JSON object. */
  readonly body: Readonly<Record<string, unknown>>
}

/** An authorization server does not answer, or not in a way that lasts: the same request may work later. */
export class AuthorityAway extends Error {
  override readonly name = 'AuthorityAway'
}

const TIME_LIMIT_MS = 10_000
/** Characters of an answer; tokens have some thousand. */
const LONGEST = 256 * 1024

/** One request to an authorization server. Throws `AuthorityAway`, and `CredentialError` for a URL that is not safe. */
export async function askAuthority(address: string, sent: Sent): Promise<AuthorityReply> {
  const url = safeUrl(address)
  const form = 'form' in sent
  const reply = await fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
    },
    body: form ? new URLSearchParams(sent.form).toString() : JSON.stringify(sent.json),
    redirect: 'error', // a secret goes to the address that was configured, and nowhere else
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  }).catch(error => {
    throw new AuthorityAway(`${url.host} does not answer (${reasonOf(error)})`)
  })
  const text = await reply.text().catch(() => '')
  if (reply.status >= 500) throw new AuthorityAway(`${url.host} said ${reply.status}`)
  return { status: reply.status, body: text.length > LONGEST ? {} : objectIn(text) }
}

/** Throws for an address at which others could read the secrets. */
function safeUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isPrivate(url.hostname))) return url
  throw new CredentialError(`"${url?.origin ?? address}" is no https address; a sign-in sends secrets there`)
}

/** What fetch hides behind "fetch failed". */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code
  return cause instanceof Error ? cause.name : 'unknown error'
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {}
  }
}
