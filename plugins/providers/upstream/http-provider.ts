import { type ChatFormat, type Host, type JsonObject, type Provider, type ProviderCall, spliceJson } from 'deflector'
import { health } from 'deflector/facets/health'
import { attempt } from './attempt.ts'
import { encoded } from './encode.ts'
import { baseHeaders, dialectHeaders } from './headers.ts'
import { connections } from './http.ts'
import type { HttpOptions } from './http-options.ts'
import { keysOf } from './keys.ts'
import { basicPatches, type Patches, type Target } from './patches.ts'
import { isExposed } from './url.ts'

/** All that a plugin for an HTTP vendor may import: the module `deflector/http-provider`. */
export { type HttpOptions, httpOptions } from './http-options.ts'
export { basicPatches, type Patches, type Target } from './patches.ts'
export { urlSchema } from './url.ts'

/** What is true of one vendor, or of all that speak one dialect; what an operator sets is in `HttpOptions`. */
export interface HttpVendor {
  /** The dialect that the vendor speaks. A client of the same dialect has its bytes passed through. */
  readonly format: ChatFormat
  /** Where calls go, from the `url` option. */
  url(base: string): URL
  /** The headers that show a credential. */
  auth(key: string): Readonly<Record<string, string>>
  /** Further headers of one call, in lower case. Those of the dialect are sent without it. */
  headers?(call: ProviderCall): Readonly<Record<string, string>>
  /** What is changed in a body on its way; by default `basicPatches`, which a vendor's own should contain. */
  readonly patches?: (body: JsonObject, target: Target) => Patches
  /** Is this parsed body a whole answer? Throws `ProviderError` when it reports a failure under status 200. */
  isAnswer(body: Record<string, unknown>): boolean
}

/**
 * A vendor that is called over HTTP: pooled connections, credentials, headers, bodies, streams and failures.
 * @example apply: (host, options) => httpProvider(host, options, {
 *   format: chatCompletions,
 *   url: base => new URL(`${base}/chat`),
 *   auth: key => ({ 'api-key': key }),
 *   isAnswer: body => Array.isArray(body.choices),
 * })
 */
export function httpProvider(host: Host, options: HttpOptions, vendor: HttpVendor): Provider {
  const { name, clock } = host
  const { format } = vendor
  const pool = connections(host)
  const url = vendor.url(options.url)
  const keys = keysOf(options)
  const always = baseHeaders(options.headers, format)
  host.onStart(() => {
    if (isExposed(url))
      host.log.warn(`${name}: the url is plain http on a public host; keys and prompts can be read on the way`)
  })
  host.offer(health, () => (keys?.length === 0 ? 'no_credential' : 'active'))
  return {
    ...(keys && { keys: () => keys }),
    ...(options.model !== null && { model: options.model }),
    complete: call =>
      attempt(call, {
        connections: pool,
        url,
        baseHeaders: always,
        headers: {
          ...dialectHeaders(format, call),
          ...vendor.headers?.(call),
          ...(call.key !== undefined && vendor.auth(call.key)),
        },
        body: () => bodyOf(call, options.model, vendor),
        format,
        name,
        idleMs: options.stream_idle_secs * 1000,
        now: () => clock.now(),
        isAnswer: body => vendor.isAnswer(body),
      }),
  }
}

/** The client's own bytes with as little changed as can be, or its prompt written anew when it speaks another dialect. */
function bodyOf(
  { prompt, model, stream }: ProviderCall,
  fallback: string | null,
  { format, patches = basicPatches }: HttpVendor,
): Uint8Array {
  const target: Target = { model: model ?? prompt.model ?? fallback ?? undefined, stream }
  if (prompt.dialect.name === format.name) return spliceJson(prompt.bytes, patches(prompt.body, target))
  const named = { model: target.model ?? '', stream }
  return encoded(format, prompt, named, body => patches(body, target))
}
