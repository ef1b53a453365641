import type { Endpoints } from './endpoints.ts'
import { keyRefused, session } from './session-key.ts'

type Part<E, Name extends string> = E extends { [N in Name]: infer Value }
  ? { readonly [N in Name]: Value }
  : E extends { [N in Name]?: infer Value }
    ? { readonly [N in Name]?: Value }
    : unknown

export type EndpointName = keyof Endpoints
/** What an endpoint needs: values of its path, its query and its body. */
export type Given<E extends EndpointName> = Part<Endpoints[E], 'path'> &
  Part<Endpoints[E], 'query'> &
  Part<Endpoints[E], 'body'>
export type Answer<E extends EndpointName> = Endpoints[E]['answer']

/** A call that failed: with a status of the gateway, or without one where it was not reached. */
export class AskError extends Error {
  override readonly name = 'AskError'
  constructor(
    readonly status: number | undefined,
    message: string,
  ) {
    super(message)
  }
}

/** What to tell somebody of a failure of any kind. */
export const messageOf = (error: unknown): string => (error instanceof AskError ? error.message : String(error))

interface AnyGiven {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** Calls an endpoint of the gateway. Throws `AskError`. */
export async function ask<E extends EndpointName>(
  endpoint: E,
  given: Given<E>,
  signal?: AbortSignal,
): Promise<Answer<E>> {
  const { path = {}, query = {}, body } = given as AnyGiven
  const [method = 'GET', template = '/'] = endpoint.split(' ')
  const address = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
  const asked = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(asked.map(([name, value]) => [name, String(value)]))
  const response = await send(asked.length > 0 ? `${address}?${search}` : address, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    ...(signal && { signal }),
  })
  // The types are made of the document that the gateway's own tests hold its answers against.
  return (await response.json()) as Answer<E>
}

/** A call with the session's key. Throws `AskError` unless it succeeds. */
export async function send(address: string, init: RequestInit): Promise<Response> {
  const { key } = session()
  const headers = new Headers(init.headers)
  if (key !== undefined) headers.set('X-API-Key', key)
  // Of a POST the gateway would read it as the wish that no cache of its own answers.
  const cache = init.method === 'POST' ? 'default' : 'no-store'
  const response = await fetch(address, { ...init, headers, cache }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error
    throw new AskError(undefined, 'The gateway does not answer.')
  })
  if (response.ok) return response
  const message = await reasonOf(response)
  if (response.status === 401) keyRefused(key, key === undefined ? '' : 'The gateway does not know this key.')
  // A key that may not administer is no use here either.
  if (response.status === 403 && key !== undefined && init.method === 'GET') keyRefused(key, message)
  throw new AskError(response.status, message)
}

/** Errors come in several dialects; each has its words in one of two places. */
async function reasonOf(response: Response): Promise<string> {
  const told: unknown = await response.json().catch(() => undefined)
  const inner = member(told, 'error')
  const message = member(told, 'message') ?? member(inner, 'message') ?? inner
  return typeof message === 'string' && message !== '' ? message : `The gateway answered ${response.status}.`
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined
