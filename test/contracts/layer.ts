import type { Exchange, Plugin, Store } from 'deflector'
import { health } from 'deflector/facets/health'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type HostGiven, type TestHost, testHost } from './host.ts'
import { checkDefinition, type PluginSample } from './plugin.ts'

/** A layer under test, with what it needs to be applied. */
export interface LayerSample extends PluginSample {
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

  checkDefinition(layer, 'layer', plugin, { options, ...(around && { around }) })

  layer('only wires when it is applied', () => {
    const given = around?.() ?? {}
    const uses: string[] = []
    applied({ ...given, stores: watched(given.stores ?? {}, uses) })
    assert.ok(uses.length === 0, `apply used a store: ${uses.join(', ')}`)
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
