import { setTimeout as later } from 'node:timers'
import { type HealthStatus, health } from 'deflector/facets/health'
import { modelEndpoint } from 'deflector/facets/model-endpoint'
import { type ProviderCheck, type ProviderEndpoint, providerEndpoint } from 'deflector/facets/provider-endpoint'
import { z } from 'zod'
import { Cancellation } from '../../../core/cancellation.ts'
import { Generation } from '../../../core/generation.ts'
import type { Instance, Pipeline } from '../../../core/pipeline/types.ts'
import { defineLayer, defineObserver, defineSurface, type Plugin } from '../../../core/plugin.ts'
import { ProviderError } from '../../../core/provider-error.ts'
import type { Store } from '../../../core/store.ts'
import { aroundUnserved } from '../unserved.ts'

/** One line of the table. */
export interface Checked {
  readonly check: 'settings' | 'pipeline' | 'layer' | 'provider' | 'store' | 'model'
  readonly name: string
  readonly result: 'ok' | 'warning' | 'failed' | 'skipped'
  readonly detail: string
}

/** What is asked for in the pipeline, by instance name. */
export interface Outside {
  readonly providers: readonly string[]
  readonly stores: readonly string[]
  /** Those behind a local server. */
  readonly models: readonly string[]
  /** Those that providers have their keys from. */
  readonly observers: readonly string[]
  readonly offline: boolean
}

/** Longest time that one of them may take, in milliseconds. */
const PATIENCE = 10_000

/** Starts the providers, stores, local models of a pipeline, and nothing else of it, and looks at each. */
export async function checkOutside(
  pipeline: Pipeline,
  { providers, stores, models, observers, offline }: Outside,
): Promise<Checked[]> {
  const opened = new Map<string, Store>()
  const asksProviders = defineSurface({
    name: 'check-providers',
    options: z.unknown(),
    apply: host => {
      for (const name of providers) host.provider(name)
    },
  })
  const asksStores = defineObserver({
    name: 'check-stores',
    options: z.unknown(),
    apply: host => {
      for (const name of stores) opened.set(name, host.store(name))
    },
  })
  const asksModels = defineLayer({
    name: 'check-models',
    options: z.unknown(),
    apply: host => {
      for (const name of models) host.model(name)
    },
  })
  const { provider, store, model, observer } = pipeline.instances
  const needed = [...observer].filter(([name]) => observers.includes(name))
  const instances: Pipeline['instances'] = {
    provider,
    store,
    layer: only(asksModels),
    model,
    surface: only(asksProviders),
    observer: new Map([...needed, ...only(asksStores)]),
  }
  const flows = new Map([['check', [asksModels.name]]])
  const generation = await Generation.build({ ...pipeline, instances, flows }, aroundUnserved('check'))
  try {
    await generation.start()
    const endpoints = generation.facets.offers(providerEndpoint, 'provider')
    const states = generation.facets.offers(health, 'provider')
    const looks = providers.map(async (name): Promise<Checked> => {
      const endpoint = endpoints.get(name)
      const row = (result: Checked['result'], detail: string): Checked => ({ check: 'provider', name, result, detail })
      if (states.get(name)?.() === ('no_credential' satisfies HealthStatus))
        return row('failed', 'no key: set its api_key or provider_keys, or store one with "deflector set-key"')
      if (!endpoint) return row('ok', 'calls no vendor over HTTP')
      if (offline) return row('skipped', `${endpoint.url}: offline_mode is on`)
      const seen = await inTime(cancellation => endpoint.check(cancellation, { everyKey: true }))
      return row(seen.error === undefined ? 'ok' : 'failed', `${endpoint.url}: ${said(seen, endpoint)}`)
    })
    const reads = stores.map(async (name): Promise<Checked> => {
      const found = opened.get(name)
      try {
        await found?.get('check')
        return { check: 'store', name, result: 'ok', detail: found?.backend ?? '' }
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        return { check: 'store', name, result: 'failed', detail: reason }
      }
    })
    const servers = generation.facets.offers(modelEndpoint, 'model')
    const asks = models.map(async (name): Promise<Checked> => {
      const server = servers.get(name)
      const row = (result: Checked['result'], detail: string): Checked => ({ check: 'model', name, result, detail })
      try {
        await inTime(cancellation => server?.check(cancellation) ?? Promise.resolve())
        return row('ok', `${server?.url}: it answers`)
      } catch (error) {
        // Requests go on without it.
        return row('warning', `${server?.url}: ${error instanceof Error ? error.message : error}`)
      }
    })
    return await Promise.all([...looks, ...reads, ...asks])
  } finally {
    await generation.dispose()
  }
}

const only = (plugin: Plugin): ReadonlyMap<string, Instance> =>
  new Map([
    [plugin.name, { role: plugin.role, name: plugin.name, plugin, options: {}, at: { line: 1, column: 1 } }] as const,
  ])

async function inTime<T>(look: (cancellation: Cancellation) => Promise<T>): Promise<T> {
  const cancellation = new Cancellation()
  const late = new ProviderError('timeout', `no reply within ${PATIENCE / 1000} s`)
  const timer = later(() => cancellation.cancel(late), PATIENCE)
  try {
    return await look(cancellation)
  } finally {
    clearTimeout(timer)
  }
}

function said(
  { authorized, status, latencyMs, error, keys = [] }: ProviderCheck,
  { showsKey }: Pick<ProviderEndpoint, 'showsKey'>,
): string {
  if (error !== undefined) return error
  const taken = keys.length > 1 ? `all ${keys.length} keys are accepted` : 'the key is accepted'
  const seen = `(status ${status ?? 'none'}, ${latencyMs} ms)`
  if (authorized === true) return `${taken} ${seen}`
  return showsKey
    ? `it answers ${seen}; no key is set`
    : `reachable; the vendor lists no models to try the key on ${seen}`
}
