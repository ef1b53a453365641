import { type Cancellation, type Clock, isProviderError, maskedKey, ProviderError, type ProviderKey } from 'deflector'
import type { CheckedWith, KeyCheck, ProviderCheck, ProviderEndpoint } from 'deflector/facets/provider-endpoint'
import { Agent } from 'undici'
import { isPublic, publicLookup } from './public-lookup.ts'
import { type Endpoint, sent } from './vendor-call.ts'

/** What is looked at, from a base URL. */
export interface Checkable {
  readonly clock: Clock
  /** The `url` option. */
  readonly base: string
  readonly endpoint: Omit<Endpoint, 'url' | 'asked' | 'isAnswer'>
  /** Where the vendor lists its models. Without it the endpoint alone is looked at, and no key is sent. */
  readonly list: ((base: string) => URL) | undefined
  readonly chat: (base: string) => URL
  /** The configured keys. */
  keys(): readonly ProviderKey[]
  auth(key: string): Readonly<Record<string, string>>
}

/** The endpoint as others may look at it: by reading a list, never by generating. */
export function endpointOf(given: Checkable): ProviderEndpoint {
  const { origin, pathname } = new URL(given.base)
  return {
    url: origin + pathname.replace(/\/+$/, ''),
    showsKey: given.list !== undefined,
    check: async (cancellation, { everyKey, ...other } = {}) => {
      const keys = given.keys()
      const own = other.key === undefined && other.url === undefined
      return everyKey && own && given.list && keys.length > 1
        ? lookWithEach(given, keys, cancellation)
        : look(given, other, cancellation)
    },
  }
}

/** The provider is as well as the worst of its keys. Where nothing answers, one look says so for all. */
async function lookWithEach(
  given: Checkable,
  keys: readonly ProviderKey[],
  cancellation: Cancellation,
): Promise<ProviderCheck> {
  const looks: { readonly key: KeyCheck; readonly seen: ProviderCheck }[] = []
  for (const [at, { key, label }] of keys.entries()) {
    const seen = await look(given, { key }, cancellation)
    if (!seen.reachable) return seen
    const { authorized, status, error } = seen
    const found = { maskedKey: maskedKey(key), position: at + 1, label, authorized, status }
    looks.push({ key: error === undefined ? found : { ...found, error }, seen })
  }
  const ill = looks.filter(({ key }) => key.error !== undefined)
  const worst = ill.find(({ key }) => key.authorized === false) ?? ill[0] ?? looks[0]
  const latencyMs = Math.max(...looks.map(({ seen }) => seen.latencyMs))
  const all = looks.map(({ key }) => key)
  if (!worst) return { ...NOWHERE, latencyMs }
  const { authorized, status } = worst.seen
  const common = { reachable: true, authorized, status, latencyMs, keys: all }
  if (ill.length === 0) return common
  const which = ill.map(({ key }) => `${nameOf(key)}: ${key.error}`).join('; ')
  return { ...common, error: `${ill.length} of ${all.length} keys failed: ${which}` }
}

const nameOf = ({ label, maskedKey, position }: KeyCheck): string =>
  `key ${position} (${label === undefined ? maskedKey : `"${label}", ${maskedKey}`})`

async function look(
  { clock, base, endpoint, list, chat, keys, auth }: Checkable,
  { key: otherKey, url: otherUrl }: CheckedWith,
  cancellation: Cancellation,
): Promise<ProviderCheck> {
  const began = clock.monotonic()
  const own = otherUrl === undefined || new URL(otherUrl).origin === new URL(base).origin
  // Nobody but the vendor's own endpoint is sent what is configured for it.
  const credential = otherKey ?? (otherUrl === undefined ? keys()[0]?.key : undefined)
  const secrets = credential === undefined ? [] : [credential]
  const guarded = own ? undefined : new Agent({ connect: { lookup: publicLookup, timeout: 10_000 } })
  const connections = guarded ? { ...endpoint.connections, agent: guarded } : endpoint.connections
  const asked = { ...endpoint, connections, asked: 'list of models', isAnswer: () => true }
  const ended = (rest: Omit<ProviderCheck, 'latencyMs'>): ProviderCheck => ({
    ...rest,
    latencyMs: Math.round(clock.monotonic() - began),
  })
  try {
    const url = (list ?? chat)(otherUrl ?? base)
    // An address needs no lookup.
    if (!own && !isPublic(url.hostname.replace(/^\[(.*)\]$/, '$1')))
      return ended({ ...NOWHERE, error: 'the address is private' })
    const headers = list && credential !== undefined ? auth(credential) : {}
    const reply = await sent({ headers: {}, cancellation }, { ...asked, url }, { method: 'GET', headers, secrets })
    reply.cancel(new ProviderError('protocol', 'its head says all'))
    return ended({
      reachable: true,
      authorized: list && credential !== undefined ? true : undefined,
      status: reply.status,
    })
  } catch (error) {
    if (!isProviderError(error)) return ended({ ...NOWHERE, error: 'the look at the endpoint failed' })
    const { status, reason, message } = error
    if (status === undefined) return ended({ ...NOWHERE, error: message })
    if (reason === 'credential') return ended({ reachable: true, authorized: list && false, status, error: message })
    // A path that answers calls alone refuses to be read, and is there.
    if (!list && status < 500) return ended({ reachable: true, authorized: undefined, status })
    // Who is told to wait was known by its key.
    const isKnown = credential !== undefined && (reason === 'rate_limited' || reason === 'quota')
    const authorized = isKnown ? true : undefined
    return ended({ reachable: true, authorized, status, error: message })
  } finally {
    if (guarded) void guarded.destroy()
  }
}

const NOWHERE = { reachable: false, authorized: undefined, status: undefined } as const
