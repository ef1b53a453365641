import { askOnce, defineLayer, GatewayError, servedBy, withFacts } from 'deflector'
import { providerCalls } from 'deflector/facets/provider-calls'
import { boundBy, notHeld, settledBy, vendorStates } from 'deflector/facets/vendor-state'
import { z } from 'zod'

/**
 * Asks one provider once, the first that has what is asked for. What is passed through may have made something at the
 * vendor, a file or a batch: asking again would make another one, and asking elsewhere would put it where it is not
 * found. Keys, cooldowns and health are those of the layer that chats with the provider.
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
    const chains = offers(providerCalls, 'layer')
    /** The layer that chats with this provider: it knows which of its keys cool down. */
    const chainOf = (target: string) => [...chains.values()].find(one => one.providers.includes(target))

    hooks.attempt.tapPromise(name, async (_, attempt) => chainOf(attempt.provider)?.checkKey(attempt))
    hooks.attempted.tap(name, (exchange, attempt, ended) =>
      chainOf(attempt.provider)?.attempted(exchange, attempt, ended),
    )
    hooks.answer.tapPromise(name, async exchange => {
      const { outgoing: prompt } = exchange
      if (offline) throw new GatewayError('offline', 'offline_mode is on, and this call is for a provider')
      const { able, chosen } = servedBy(providers, exchange)
      const binding = prompt.state && (await boundBy(exchange, states))
      const holder = binding?.provider
      const target = holder === undefined ? (chosen ?? able[0]) : able.find(one => one.name === holder)
      if (prompt.state && holder !== undefined && !target) throw notHeld(prompt.state.field)
      if (!target) throw new GatewayError('unsupported_operation', 'no provider of the chain has this endpoint')
      const model = exchange.route.model ?? exchange.model
      const call = { timeoutMs: timeout_secs * 1000, model, stream: prompt.stream }
      const chats = chainOf(target.name)
      const answer = await (chats ? chats.ask(target, exchange, call) : askOnce(target, exchange, { clock, ...call }))
      return prompt.state ? await settledBy(exchange, withFacts(answer, { provider: target.name }), states) : answer
    })
  },
})
