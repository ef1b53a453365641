import { type Exchange, isPlugin, type Plugin, type Store } from 'deflector'
import { health } from 'deflector/facets/health'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type HostGiven, type TestHost, testHost } from './host.ts'

/** A layer under test, with what it needs to be applied. */
export interface LayerSample {
  /** Options that are valid. */
  readonly options?: Readonly<Record<string, unknown>>
  /** Stores, models and providers that the options name; called anew for each test. */
  readonly around?: () => HostGiven
  /** An exchange that this layer has no answer for. Left out for a layer that answers all or refuses all. */
  readonly passesOn?: () => Exchange
}

const STATUS = ['active', 'disabled', 'degraded', 'no_credential']

/** What every layer promises, as a suite of tests that runs with the file. */
export function checkLayer(plugin: Plugin, { options = {}, around, passesOn }: LayerSample = {}): void {
  const layer = suite(`${plugin.name} as a layer`)
  const applied = (given: HostGiven = around?.() ?? {}): TestHost<'layer'> => {
    const host = testHost('layer', given)
    assert.is(host.apply(plugin, options), undefined, 'apply gives nothing back')
    return host
  }

  layer('is a layer that the pipeline can name', () => {
    assert.ok(isPlugin(plugin))
    assert.is(plugin.role, 'layer')
    assert.match(plugin.name, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    assert.ok(plugin.label !== '')
  })

  layer('refuses options it does not know', () => {
    assert.ok(plugin.options.safeParse(options).success, 'the sample options are valid')
    assert.not.ok(plugin.options.safeParse({ ...options, no_such_option: true }).success)
  })

  layer('describes its options in snake case', () => {
    for (const [option, schema] of Object.entries(fieldsOf(plugin.options))) {
      assert.match(option, /^[a-z0-9]+(_[a-z0-9]+)*$/)
      assert.ok(descriptionOf(schema), `option ${option} has no .describe()`)
    }
  })

  layer('only wires when it is applied', () => {
    const given = around?.() ?? {}
    const uses: string[] = []
    const host = applied({ ...given, stores: watched(given.stores ?? {}, uses) })
    assert.ok(uses.length === 0, `apply used a store: ${uses.join(', ')}`)
    assert.is(host.clock.sleeping, 0, 'apply began to wait')
    assert.equal(
      host.logged.filter(({ level }) => level === 'error'),
      [],
    )
  })

  layer('bears being disposed without a start', async () => {
    await applied().dispose()
  })

  layer('starts, serves and is disposed', async () => {
    const host = applied()
    await host.start()
    host.ready()
    await host.dispose()
  })

  layer('bears two generations side by side', async () => {
    const given = around?.() ?? {}
    const old = applied(given)
    const next = applied({ ...given, kept: old.kept, clock: old.clock })
    await next.start()
    next.ready()
    await old.dispose()
    await next.dispose()
    assert.equal(next.kept.ids, [], 'what was kept is let go with the last generation')
  })

  layer('says how it is in a word that /health knows', () => {
    const status = applied().offer(health)?.()
    if (status) assert.ok(STATUS.includes(status), status)
  })

  if (passesOn) {
    layer('passes on what it has no answer for', async () => {
      const host = applied()
      await host.start()
      host.ready()
      const exchange = passesOn()
      await host.call.receive(exchange)
      assert.is(await host.call.answer(exchange), undefined)
      host.call.finish(exchange)
      await host.dispose()
    })
  }

  layer.run()
}

/** The fields of an object schema, seen from outside. */
function fieldsOf(schema: unknown): Record<string, unknown> {
  assert.ok(typeof schema === 'object' && schema !== null && 'shape' in schema, 'options are a z.strictObject')
  const { shape } = schema as { shape: unknown }
  return typeof shape === 'object' && shape !== null ? { ...shape } : {}
}

/** A field's description, or that of what it wraps (`z.string().describe('…').default('')`). */
function descriptionOf(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  if ('description' in schema && typeof schema.description === 'string') return schema.description
  if (!('unwrap' in schema) || typeof schema.unwrap !== 'function') return undefined
  return descriptionOf(schema.unwrap())
}

/** The same stores, with every use written down. */
function watched(stores: Readonly<Record<string, Store>>, uses: string[]): Record<string, Store> {
  const watch = (name: string, store: Store): Store => ({
    get(key) {
      uses.push(`${name}.get`)
      return store.get(key)
    },
    set(key, value, life) {
      uses.push(`${name}.set`)
      return store.set(key, value, life)
    },
    delete(key) {
      uses.push(`${name}.delete`)
      return store.delete(key)
    },
  })
  return Object.fromEntries(Object.entries(stores).map(([name, store]) => [name, watch(name, store)]))
}
