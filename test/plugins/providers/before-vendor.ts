import type { Plugin } from 'deflector'
import { testHost } from '../../contracts/host.ts'
import { checkProvider } from '../../contracts/provider.ts'
import { type Reply, startUpstream, type Upstream } from '../../support/upstream.ts'

const KEY = 'key-1234'

/** What every provider promises, before a vendor that answers, one that fails and one that is silent. */
export function checkBeforeVendor(
  name: string,
  plugin: Plugin,
  optionsOf = ({ url }: Upstream): Record<string, unknown> => ({ url, api_key: KEY }),
): void {
  const before =
    (...replies: Reply[]) =>
    async () => {
      const upstream = await startUpstream()
      upstream.script(...replies)
      const host = testHost('provider')
      return {
        provider: host.apply(plugin, optionsOf(upstream)),
        call: { key: KEY },
        dispose: async () => {
          await host.dispose()
          await upstream.close()
        },
      }
    }
  checkProvider(name, before(), { broken: before({ status: 500 }), silent: before({ silent: true }) })
}
