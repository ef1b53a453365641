import { type Call, Cancellation, defineSurface, isPrivate, ProviderError, sendJson } from 'deflector'
import {
  type CheckedWith,
  type ProviderCheck,
  type ProviderEndpoint,
  providerEndpoint,
} from 'deflector/facets/provider-endpoint'
import { type KeyStatus, type ProviderStatus, providerStatuses } from 'deflector/facets/provider-status'
import { badRequest, checked, optional } from 'deflector/formats/body'
import { native } from 'deflector/formats/native'
import { readOwnJson } from 'deflector/formats/own-json'
import { z } from 'zod'

/** Bytes of a body at these endpoints. */
const LIMIT = 16_384
/** Longest time that a test may take, in milliseconds. */
const PATIENCE = 15_000

const text = optional(z.string('must be a string').min(1, 'must not be empty').max(2048, 'is too long'))
/** `name` is what the other endpoints call a provider of the chain. */
const tested = z.looseObject({ provider: text, name: text, url: text, api_key: text })

export default defineSurface({
  name: 'providers-admin',
  needsFlow: true,
  summary: 'GET /debug/providers, GET /api/admin/providers and POST /test: how the providers of the chain are',
  options: z.strictObject({}),
  apply(host) {
    const options = { format: native, admin: true }
    const chains = host.offers(providerStatuses, 'layer')
    const endpoints = host.offers(providerEndpoint, 'provider')
    host.route('GET', '/debug/providers', status, options)
    host.route('GET', '/api/admin/providers', status, options)
    host.route('POST', '/api/admin/providers/test', test, options)

    function status(call: Call): void {
      const all = [...chains.values()].flatMap(chain => chain.statuses())
      // Two layers may share a provider: it is told once, as the first one sees it.
      const known = new Map(all.toReversed().map(one => [one.name, one] as const))
      const providers = [...new Set(all.map(({ name }) => name))].flatMap(name => known.get(name) ?? [])
      sendJson(call, {
        active_provider: providers.find(({ active }) => active)?.name ?? null,
        providers: providers.map(providerJson),
      })
    }

    /** Looks at one configured provider, or at another endpoint that its operator may come to configure. */
    async function test(call: Call): Promise<void> {
      const {
        provider: given,
        name: named = given,
        url,
        api_key: key,
      } = checked(tested, await readOwnJson(call, LIMIT))
      const provider = sameName(given, named)
      if (provider === undefined && url === undefined) throw badRequest('provider', 'or "url" is needed')
      if (url !== undefined) refuseUnknownNetwork(url, [...endpoints.values()])
      const name = provider ?? nameFor(url)
      const endpoint = endpoints.get(name)
      if (!endpoint) {
        const names = [...endpoints.keys()].join(', ') || 'none: no provider is called over HTTP'
        throw badRequest('provider', `must be one of ${names}`)
      }
      if ([...chains.values()].some(({ offline }) => offline))
        return sendJson(call, checkJson({ ...UNTESTED, error: 'offline_mode is on: nothing was sent' }))
      const check = await look(endpoint, { key, url, everyKey: true }, call)
      // What was seen with another key or at another place says nothing of the provider.
      if (url === undefined && key === undefined)
        for (const chain of chains.values()) chain.checked(name, asWhole(check))
      sendJson(call, checkJson(check))
    }

    /** Whose format a place is asked in: that of the provider which is there, else that of the first. */
    function nameFor(url: string | undefined): string {
      const there = [...endpoints].find(([, endpoint]) => url !== undefined && isSamePlace(endpoint.url, url))
      return there?.[0] ?? [...chains.values()].flatMap(chain => chain.statuses())[0]?.name ?? ''
    }

    async function look(endpoint: ProviderEndpoint, given: CheckedWith, call: Call): Promise<ProviderCheck> {
      const cancellation = Cancellation.following(call.cancellation)
      const late = new ProviderError('timeout', `no reply within ${PATIENCE / 1000} s`)
      const forget = host.clock.after(PATIENCE, () => cancellation.cancel(late))
      try {
        return await endpoint.check(cancellation, given)
      } finally {
        forget()
      }
    }
  },
})

const isSamePlace = (a: string, b: string): boolean => new URL(a).origin === new URL(b).origin

const UNTESTED = { reachable: false, authorized: undefined, latencyMs: 0, status: undefined } as const

/** Whoever may ask for tests could else look around in the operator's network. */
function refuseUnknownNetwork(given: string, configured: readonly ProviderEndpoint[]): void {
  if (!URL.canParse(given)) throw badRequest('url', 'is not a URL; write it like https://api.example.com/v1')
  const { protocol, hostname, username, password } = new URL(given)
  if (protocol !== 'https:' && protocol !== 'http:') throw badRequest('url', 'must begin with https:// or http://')
  if (username !== '' || password !== '') throw badRequest('url', 'holds no credentials; use api_key')
  if (configured.some(({ url }) => isSamePlace(url, given))) return
  const name = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isPrivate(name) || /^(?:0\.|::$|::ffff:0)/i.test(name))
    throw badRequest('url', 'is in a private network, where only configured providers are asked')
}

function sameName(provider: string | undefined, name: string | undefined): string | undefined {
  if (provider !== undefined && provider !== name) throw badRequest('name', 'and "provider" differ; send one of them')
  return name
}

/** A pool with one good key answers: it is no provider that fails. */
function asWhole({ keys = [], ...check }: ProviderCheck): ProviderCheck {
  if (!keys.some(({ authorized }) => authorized)) return check
  const { error: _, ...works } = check
  return { ...works, authorized: true }
}

const checkJson = ({ reachable, authorized, latencyMs, status, error, keys = [] }: ProviderCheck): object => ({
  reachable,
  authorized: authorized ?? null,
  latency_ms: latencyMs,
  status_code: status ?? null,
  error: error ?? null,
  keys: keys.map(key => ({
    masked_key: key.maskedKey,
    position: key.position,
    label: key.label ?? null,
    authorized: key.authorized ?? null,
    status_code: key.status ?? null,
    error: key.error ?? null,
  })),
})

const time = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString())

const providerJson = (one: ProviderStatus): object => ({
  name: one.name,
  active: one.active,
  status: one.status,
  model: one.model ?? null,
  endpoint: one.endpoint ?? null,
  api_key_configured: one.keyConfigured,
  requests_total: one.requests,
  errors_total: one.errors,
  latency_ms: one.latencyMs ?? null,
  first_token_ms: one.firstTokenMs ?? null,
  circuit: one.circuit,
  key_rotation_strategy: one.strategy,
  key_cooldown_secs: one.cooldownSecs,
  keys: one.keys.map(keyJson),
  last_success: time(one.lastSuccess),
  last_error: time(one.lastError),
  last_error_message: one.lastErrorMessage ?? null,
  last_check: time(one.lastCheck),
})

const keyJson = (one: KeyStatus): object => ({
  masked_key: one.maskedKey,
  position: one.position,
  label: one.label ?? null,
  priority: one.priority ?? null,
  status: one.status,
  requests_total: one.requests,
  rate_limit_total: one.rateLimits,
  last_used: time(one.lastUsed),
  cooldown_until: time(one.cooldownUntil),
})
