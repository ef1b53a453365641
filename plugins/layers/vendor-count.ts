import { askOnce, defineLayer, forClient, isProviderError, type ProviderHandle } from 'deflector'
import { boundBy, vendorStates } from 'deflector/facets/vendor-state'
import { COUNT_TOKENS } from 'deflector/formats/token-count'
import { z } from 'zod'

/** Statuses of a vendor that has the dialect but does not count. */
const NOT_SERVED = new Set([404, 405, 501])

/**
 * Asks the provider that would answer a prompt how many tokens it has. Once, with one key: a count is not worth more,
 * and a failure of it says nothing of the key, so that no cooldown begins. Without an answer the next layer estimates.
 */
export default defineLayer({
  name: 'vendor-count',
  label: 'l3',
  operations: [COUNT_TOKENS],
  asks: { provider: 'chain' },
  summary: 'asks the provider of a prompt how many tokens it has, where the provider counts',
  options: z.strictObject({
    chain: z.array(z.string()).default([]).describe('Instance names of the providers, as the cloud layer has them.'),
    offline: z.boolean().default(false).describe('Never call a provider.'),
    timeout_secs: z.number().positive().default(10).describe('Longest wait for a count, in seconds.'),
  }),
  apply({ name, hooks, clock, log, provider, offers }, { chain, offline, timeout_secs }) {
    const providers = chain.map(one => provider(one))
    const states = offers(vendorStates)

    hooks.answer.tapPromise(name, async exchange => {
      const { route, outgoing: prompt } = exchange
      const binding = prompt.state && (await boundBy(exchange, states))
      const target = targetOf(providers, binding?.provider ?? route.provider)
      if (offline || route.localRule !== undefined || !target?.operations.includes(prompt.operation)) return undefined
      if (forClient(target, exchange).keys?.().length === 0) return undefined
      // The client's name of a model is the primary's, as the cloud layer has it.
      const own = route.provider === target.name ? target.model : undefined
      const model = route.model ?? own ?? exchange.model ?? target.model
      try {
        return await askOnce(target, exchange, { clock, timeoutMs: timeout_secs * 1000, model })
      } catch (error) {
        exchange.cancellation.throwIfCancelled()
        if (!isProviderError(error)) throw error
        const { reason, status = 0, detail } = error
        if (reason === 'bad_request' && !NOT_SERVED.has(status)) throw error
        exchange.note(reason)
        if (reason !== 'unsayable')
          log.degraded(target.name, 'a provider does not count tokens; they are estimated', {
            provider: target.name,
            reason,
            ...(status > 0 && { status }),
            ...(detail !== undefined && { detail }),
          })
        return undefined
      }
    })
  },
})

/** The provider that the cloud layer would ask first. */
const targetOf = (providers: readonly ProviderHandle[], chosen: string | undefined): ProviderHandle | undefined =>
  providers.find(({ name }) => name === chosen) ?? providers[0]
