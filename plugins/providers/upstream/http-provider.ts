import {
  type Answer,
  CHAT,
  type Host,
  type JsonObject,
  type Provider,
  type ProviderCall,
  ProviderError,
  spliceJson,
} from 'deflector'
import { health } from 'deflector/facets/health'
import { attempt } from './attempt.ts'
import { encoded } from './encode.ts'
import { baseHeaders, dialectHeaders } from './headers.ts'
import { connections } from './http.ts'
import type { HttpOptions } from './http-options.ts'
import { keysOf } from './keys.ts'
import { attemptOperation, type HttpOperation } from './operation.ts'
import { basicPatches, type Patches, type Target } from './patches.ts'
import { isExposed } from './url.ts'
import type { VendorFormat } from './vendor-format.ts'

/** All that a plugin for an HTTP vendor may import: the module `deflector/http-provider`. */
export { type HttpOptions, httpOptions } from './http-options.ts'
export type { HttpOperation } from './operation.ts'
export { basicPatches, type Patches, type Target } from './patches.ts'
export { urlSchema } from './url.ts'
export type { VendorFormat } from './vendor-format.ts'

/** What is true of one vendor, or of all that speak one dialect; what an operator sets is in `HttpOptions`. */
export interface HttpVendor {
  /** The dialect that the vendor speaks. A client of the same dialect has its bytes passed through. */
  readonly format: VendorFormat
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
  /** What it can be asked for beside chat, by the name of the operation. Only clients of its own dialect are served. */
  readonly operations?: Readonly<Record<string, HttpOperation>>
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
  const operations = new Map<string, { readonly operation: HttpOperation; readonly url: URL }>()
  for (const [named, operation] of Object.entries(vendor.operations ?? {}))
    operations.set(named, { operation, url: operation.url(options.url) })
  const keys = keysOf(options)
  const always = baseHeaders(options.headers, format)
  host.onStart(() => {
    if (isExposed(url) || [...operations.values()].some(({ url }) => isExposed(url)))
      host.log.warn(`${name}: the url is plain http on a public host; keys and prompts can be read on the way`)
  })
  host.offer(health, () => (keys?.length === 0 ? 'no_credential' : 'active'))

  /** What calls of every operation have in common. */
  const vendorCall = (call: ProviderCall) => ({
    connections: pool,
    baseHeaders: always,
    headers: {
      ...dialectHeaders(format, call),
      ...vendor.headers?.(call),
      ...(call.key !== undefined && vendor.auth(call.key)),
    },
    name,
    now: () => clock.now(),
  })
  const chat = (call: ProviderCall): Promise<Answer> =>
    attempt(call, {
      ...vendorCall(call),
      url,
      body: () => bodyOf(call, options.model, vendor),
      asked: `${format.name} answer`,
      isAnswer: body => vendor.isAnswer(body),
      format,
      idleMs: options.stream_idle_secs * 1000,
    })
  const other = async (call: ProviderCall): Promise<Answer> => {
    const { operation: named, dialect, body, bytes } = call.prompt
    const found = operations.get(named)
    if (!found) throw refused(name, `does not serve ${named}`)
    if (dialect.name !== format.name) throw refused(name, `serves ${named} to clients of ${format.name} only`)
    if (call.stream) throw refused(name, `does not stream ${named}`)
    const { operation, url } = found
    const { patches = basicPatches } = operation
    return attemptOperation(call, {
      ...vendorCall(call),
      url,
      body: () => spliceJson(bytes, patches(body, targetOf(call, options.model))),
      asked: `answer to ${named}`,
      isAnswer: body => operation.isAnswer(body),
      operation,
    })
  }
  return {
    ...(keys && { keys: () => keys }),
    ...(options.model !== null && { model: options.model }),
    ...(operations.size > 0 && { operations: [CHAT, ...operations.keys()] }),
    complete: call => (call.prompt.operation === CHAT ? chat(call) : other(call)),
  }
}

/** As if the vendor had said it: another attempt would fail like this one. */
const refused = (name: string, what: string): ProviderError =>
  new ProviderError('bad_request', `${name} ${what}`, { status: 400 })

const targetOf = ({ prompt, model, stream }: ProviderCall, fallback: string | null): Target => ({
  model: model ?? prompt.model ?? fallback ?? undefined,
  stream,
})

/** The client's own bytes with as little changed as can be, or its prompt written anew when it speaks another dialect. */
function bodyOf(
  call: ProviderCall,
  fallback: string | null,
  { format, patches = basicPatches }: HttpVendor,
): Uint8Array {
  const { prompt } = call
  const target = targetOf(call, fallback)
  if (prompt.dialect.name === format.name) return spliceJson(prompt.bytes, patches(prompt.body, target))
  const named = { model: target.model ?? '', stream: target.stream }
  return encoded(format, prompt, named, body => patches(body, target))
}
