import type { Store } from 'deflector'
import { z } from 'zod'
import { systemClock } from '../../../../core/clock.ts'
import type { Host } from '../../../../core/host.ts'
import type { Loader } from '../../../../core/pipeline/loader.ts'
import type { Instance } from '../../../../core/pipeline/types.ts'
import type { Plugin } from '../../../../core/plugin.ts'
import { quietLog } from '../../unserved.ts'

/**
 * What a trial puts in the place of everything that lives outside of its process, so that running the tests of a
 * production file neither reads nor writes anything of production.
 */
export interface StandIns {
  /** Memory, whatever the file has; it fails while `isUnreachable` says so. */
  store(instance: Instance, isUnreachable: () => boolean): Instance
  /**
   * For what embeds, the embedder that ships with deflector: no server and no download. Likewise for what judges. What
   * writes asks the stub at `url`.
   */
  model(instance: Instance, url: string): Instance
}

export async function standIns(loader: Loader): Promise<StandIns> {
  const here = process.cwd() // built-in plugins are found from anywhere
  const { plugin: memory } = await loader.load('store', 'memory', here)
  const { plugin: embedder } = await loader.load('model', 'static', here)
  const { plugin: judge } = await loader.load('model', 'pair', here)
  const { plugin: writer } = await loader.load('model', 'chat-server', here)
  return {
    store: (instance, isUnreachable) => ({
      ...instance,
      plugin: breakable(memory, isUnreachable),
      options: fitting(instance.options, memory),
    }),
    model(instance, url) {
      if (instance.plugin === embedder || instance.plugin === judge) return instance
      // Only when it is asked for: a model that nothing asks for is never wired.
      const apply = (host: never): unknown => {
        const offers = offersOf(instance)
        if ('write' in offers) return writer.apply(host, writer.options.parse({ url, model: instance.name }) as never)
        const plugin = 'read' in offers ? judge : embedder
        return plugin.apply(host, fitting(instance.options, plugin, ['model']) as never)
      }
      return { ...instance, plugin: { ...instance.plugin, apply } }
    },
  }
}

/** What a model gives, whoever made it: it is wired and never started. Wiring opens nothing. */
function offersOf({ name, plugin, options }: Instance): object {
  const disposals: (() => unknown)[] = []
  const host: Host = {
    name,
    log: quietLog,
    clock: systemClock,
    gateway: 'trial',
    keep(_id, create, dispose) {
      const kept = create()
      disposals.push(() => dispose?.(kept))
      return kept
    },
    offer: () => {},
    offers: () => new Map(),
    onStart: () => {},
    onReady: () => {},
    onDispose: run => disposals.push(run),
  }
  const offers = Offers.parse(plugin.apply(host as never, options as never))
  for (const dispose of disposals.reverse())
    void Promise.resolve()
      .then(dispose)
      .catch(() => {})
  return offers
}

const Offers = z.custom<object>(value => typeof value === 'object' && value !== null, 'the model gives nothing')

/** Those of the given options that the plugin has, too; its defaults where they do not fit. */
function fitting(given: unknown, { options }: Plugin, except: readonly string[] = []): unknown {
  const { success, data } = Options.safeParse(given)
  const names = Object.keys(z.toJSONSchema(options, { unrepresentable: 'any', io: 'input' }).properties ?? {})
  const shared = names.filter(name => success && !except.includes(name) && Object.hasOwn(data, name))
  const fits = options.safeParse(Object.fromEntries(shared.map(name => [name, data?.[name]])))
  return fits.success ? fits.data : options.parse({})
}

const Options = z.record(z.string(), z.unknown())

const Kept = z.custom<Store>(
  value => typeof value === 'object' && value !== null && ['get', 'set', 'delete'].every(name => name in value),
)

function breakable(plugin: Plugin, isUnreachable: () => boolean): Plugin {
  const apply = (host: never, options: never): Store => {
    const store = Kept.parse(plugin.apply(host, options))
    const reach = <T>(run: () => Promise<T>): Promise<T> =>
      isUnreachable() ? Promise.reject(new Error('the test has this store unreachable')) : run()
    return {
      ...store,
      get: key => reach(() => store.get(key)),
      set: (key, value, life) => reach(() => store.set(key, value, life)),
      delete: key => reach(() => store.delete(key)),
    }
  }
  return { ...plugin, apply }
}
