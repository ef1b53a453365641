import {
  type Call,
  GatewayError,
  hostNamed,
  hostOf,
  isAddress,
  isBound,
  isLoopback,
  isPrivate,
  isSameHost,
} from 'deflector'
import type { HttpCall } from './call.ts'

export interface BrowserRules {
  /** Address that is listened on. */
  readonly bound: string
  /** Origins whose pages may ask and read the answer; `*` is every page. */
  readonly corsOrigins: readonly string[]
  readonly allowedHosts: readonly string[]
  /** Is there a gateway key? A page whose name was pointed at this machine does not know it. */
  readonly keyed: boolean
}

/** Seconds that a browser may keep the answer to a preflight. */
const PREFLIGHT_SECS = '600'

/**
 * Which web pages may ask: a browser sends any page's requests to any address that it reaches. A page of another site
 * gives itself away by its `Origin`, and a page whose name was pointed at this machine by its `Host`.
 */
export class BrowserCheck {
  readonly #rules: BrowserRules
  readonly #origins: ReadonlySet<string>
  readonly #hosts: ReadonlySet<string | undefined>
  /** A host that is served on every route. */
  #known: string | undefined

  constructor(rules: BrowserRules) {
    this.#rules = rules
    this.#origins = new Set(rules.corsOrigins.map(normalised))
    this.#hosts = new Set(rules.allowedHosts.map(hostNamed))
  }

  /** Why a call is refused, if it is. `names` are further hosts that its route is served under. */
  refusal({ headers, request }: HttpCall, names: readonly string[] = []): GatewayError | undefined {
    if (hasTwoHosts(request.rawHeaders)) return new GatewayError('bad_request', 'a request has one Host header')
    const { host, origin } = headers
    if (host === undefined && request.httpVersion !== '1.0')
      return new GatewayError('bad_request', 'a request needs a Host header')
    // Most calls are for the host that the last one was for, and of no page.
    if (host === this.#known && origin === undefined) return undefined
    const own = names.map(hostNamed)
    if (!this.#rules.keyed && host !== undefined && !this.#isServed(hostOf(host), own))
      return new GatewayError('forbidden', 'this Host is not served without a gateway key; add it to allowed_hosts')
    if (names.length === 0) this.#known = host
    if (origin === undefined || this.#isAllowed(origin) || this.#isNear(origin, host, own)) return undefined
    return new GatewayError('forbidden', 'pages of this Origin may not ask here; add it to cors_origins')
  }

  /** Lets an allowed page read the answer. True: it only asked whether it may, and has its answer. */
  answersPreflight(call: HttpCall): boolean {
    const { origin, 'access-control-request-method': method } = call.headers
    if (origin === undefined || !this.#isAllowed(origin)) return false
    call.also['access-control-allow-origin'] = origin
    call.also['access-control-expose-headers'] = '*'
    call.also.vary = 'origin'
    if (call.method !== 'OPTIONS' || method === undefined) return false
    call.send(204, preflightHeaders(call.headers, method))
    return true
  }

  #isAllowed(origin: string): boolean {
    return this.#origins.has('*') || (this.#origins.size > 0 && this.#origins.has(normalised(origin)))
  }

  #isServed(name: string | undefined, own: readonly (string | undefined)[]): boolean {
    if (name === undefined) return false
    if (isAddress(name) || isPrivate(name)) return true
    return this.#hosts.has(name) || own.includes(name) || isBound(name, this.#rules.bound)
  }

  /** A page of this machine, of the address that is listened on, or of the very host that it asks. */
  #isNear(origin: string, host: string | undefined, own: readonly (string | undefined)[]): boolean {
    const authority = /^https?:\/\/(.*)$/i.exec(origin)?.[1]
    const name = authority === undefined ? undefined : hostOf(authority)
    if (authority === undefined || name === undefined) return false
    if (isLoopback(name) || own.includes(name) || isBound(name, this.#rules.bound)) return true
    return host !== undefined && isSameHost(origin, host)
  }
}

function preflightHeaders(headers: Call['headers'], method: string): Record<string, string> {
  const asked = headers['access-control-request-headers']
  return {
    'access-control-allow-methods': method,
    ...(asked !== undefined && { 'access-control-allow-headers': asked }),
    // A page from the internet that asks a machine of a private network.
    ...(headers['access-control-request-private-network'] === 'true' && {
      'access-control-allow-private-network': 'true',
    }),
    'access-control-max-age': PREFLIGHT_SECS,
  }
}

const normalised = (origin: string): string => origin.toLowerCase().replace(/\/+$/, '')

/** Node keeps the first of them, a proxy may have looked at the last. */
function hasTwoHosts(raw: readonly string[]): boolean {
  let hosts = 0
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}
