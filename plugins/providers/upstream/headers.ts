import { createRequire } from 'node:module'
import type { Dialect, ProviderCall } from 'deflector'
import { prefixedHeaders } from 'deflector/formats/client-headers'
import { z } from 'zod'
import { unkeyed } from './mask.ts'

/** Reply headers with lower-case names; repeated ones are joined with `, `. */
export type ReplyHeaders = Readonly<Record<string, string | undefined>>

const require = createRequire(import.meta.url)
const { version } = z.object({ version: z.string() }).parse(require('deflector/package.json'))

/** Sent with every call. zstd is not offered, because Node 20 cannot read it. */
const OWN_HEADERS = {
  'content-type': 'application/json',
  'accept-encoding': 'gzip, br, deflate',
  'user-agent': `deflector/${version}`,
}

/** The gateways that a request came through, the last one last. */
const HOP = 'x-service-hop'

/** Names that belong to one connection, or that describe a body we may have changed. */
const HOP_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  ...Object.keys(OWN_HEADERS),
  HOP,
])

const PUBLIC =
  /^(?:x-request-id|request-id|x-generation-id|openai-processing-ms|x-ratelimit-.+|anthropic-ratelimit-.+|retry-after(?:-ms)?)$/

/**
 * Vendor headers that may reach a client: request ids, rate limits, waits and the time it took. A vendor may repeat a key
 * in any of them: all that is one of `secrets`, or begins as keys do, is masked.
 */
export function publicHeaders(headers: ReplyHeaders, secrets: readonly string[]): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && PUBLIC.test(name)) shown[name] = unkeyed(value, secrets)
  }
  return shown
}

export function joined(headers: Readonly<Record<string, string | string[] | undefined>>): ReplyHeaders {
  const all: Record<string, string | undefined> = {}
  for (const name in headers) {
    const value = headers[name]
    all[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value
  }
  return all
}

/**
 * Headers of every call to one vendor, in lower case: ours, the defaults of its dialect, and those
 * of `given` that are not for one connection alone.
 */
export function baseHeaders(
  given: Readonly<Record<string, string>>,
  { headers: own = [] }: Pick<Dialect, 'headers'>,
): Readonly<Record<string, string>> {
  const all: Record<string, string> = { ...OWN_HEADERS }
  for (const { name, default: value } of own) if (value !== undefined) all[name] = value
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase()
    if (!HOP_HEADERS.has(lower)) all[lower] = value
  }
  return all
}

/** What a client says in the vendor's own dialect goes along; a client of another dialect means other things by it. */
export function dialectHeaders(
  dialect: Pick<Dialect, 'name' | 'headers'>,
  { prompt, headers }: Pick<ProviderCall, 'prompt' | 'headers'>,
): Record<string, string> {
  const said: Record<string, string> = {}
  if (prompt.dialect.name !== dialect.name) return said
  for (const { name, prefix } of dialect.headers ?? []) {
    const value = prefix ? undefined : headers[name]
    if (value !== undefined) said[name] = value
  }
  for (const [name, value] of prefixedHeaders(dialect, headers)) said[name] = value
  return said
}

/** Where a client of the vendor's own dialect asks with a query, so do we. What the url has already stays. */
export function dialectUrl(url: URL, { name }: Pick<Dialect, 'name'>, { query, dialect }: ProviderCall['prompt']): URL {
  if (query === '' || dialect.name !== name) return url
  const asked = new URL(url)
  for (const [each, value] of new URLSearchParams(query))
    if (!url.searchParams.has(each)) asked.searchParams.append(each, value)
  return asked
}

/** Characters of a client's user agent that are passed on. */
const AGENT_LIMIT = 512

/**
 * The headers of one outgoing call; `own`, in lower case, go before those of `base`. `gateway` joins the gateways that
 * the client's request came through: one of the providers may point back at us, directly or by way of another gateway.
 * The client's user agent stays, and ours joins it.
 */
export function requestHeaders(
  base: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
  gateway: string,
  client: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const all: Record<string, string> = { ...base }
  const agent = client['user-agent']
  if (agent) all['user-agent'] = `${agent.slice(0, AGENT_LIMIT)} ${OWN_HEADERS['user-agent']}`
  for (const name in own) all[name] = own[name] ?? ''
  const before = client[HOP]
  all[HOP] = before === undefined ? gateway : `${before}, ${gateway}`
  return all
}
