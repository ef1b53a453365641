import { askOnce, defineLayer, GatewayError, servedBy, withFacts } from 'deflector'
import { boundBy, notHeld, settledBy, vendorStates } from 'deflector/facets/vendor-state'
import { z } from 'zod'

/**
 * Asks one provider once, the first that has what is asked for. What is passed through may have made something at the
 * vendor, a file or a batch: asking again would make another one, and asking elsewhere would put it where it is not found.
 */
export default defineLayer({
  name: 'pass-through',
  label: 'l3',
  operations: ['*'],
  asks: { provider: 'chain' },
  summary: "passes calls to a vendor's other endpoints through: one provider, one attempt",
  options: z.strictObject({
    chain: z.array(z.string()).default([]).describe('Instance names of the providers, as the cloud layer has them.'),
    offline: z.boolean().default(false).describe('Never call a provider.'),
    timeout_secs: z.number().positive().default(600).describe('Longest wait for a reply, in seconds.'),
  }),
  apply({ name, hooks, clock, provider, offers }, { chain, offline, timeout_secs }) {
    const providers = chain.map(one => provider(one))
    const states = offers(vendorStates)

    hooks.answer.tapPromise(name, async exchange => {
      const { outgoing: prompt } = exchange
      if (offline) throw new GatewayError('offline', 'offline_mode is on, and this call is for a provider')
      const { able, chosen } = servedBy(providers, exchange)
      const binding = prompt.state && (await boundBy(exchange, states))
      const holder = binding?.provider
      const target = holder === undefined ? (chosen ?? able[0]) : able.find(one => one.name === holder)
      if (prompt.state && holder !== undefined && !target) throw notHeld(prompt.state.field)
      if (!target) throw new GatewayError('unsupported_operation', 'no provider of the chain has this endpoint')
      const answer = await askOnce(target, exchange, {
        clock,
        timeoutMs: timeout_secs * 1000,
        stream: prompt.stream,
      })
      return prompt.state ? await settledBy(exchange, withFacts(answer, { provider: target.name }), states) : answer
    })
  },
})
