import { CHAT, defineLayer, GatewayError, ProviderError } from 'deflector'
import { Budget, CallMeter, meterCalls, openCounters, statusOf, unpricedWarning } from 'deflector/counters'
import { quotaStatus } from 'deflector/facets/quota-status'
import { COMPLETIONS } from 'deflector/formats/completions'
import { counterOptions } from 'deflector/formats/counter-options'
import { EMBEDDINGS } from 'deflector/formats/embeddings'
import { isForOne, nameFor } from 'deflector/formats/vendor-names'
import { pricing } from 'deflector/pricing'
import { z } from 'zod'
import { limitsOf, policySchema } from './policy.ts'

/** `a, b and c`. Its data take 17 ms to load, and only a refusal needs them. */
const listOf = (names: readonly string[]): string => new Intl.ListFormat('en-GB').format(names)

/** What a chain of providers is asked for. All else has one provider, and no other to go to. */
const CHAINED = new Set([CHAT, COMPLETIONS, EMBEDDINGS])

const options = z
  .strictObject({
    policies: z
      .record(z.string(), policySchema)
      .default({})
      .describe(
        'Limits, by instance name of the provider, else by a name of its vendor. Providers of one policy share its limits.',
      ),
    chain: z.array(z.string()).default([]).describe('Instance names of the providers, as the cloud layer has them.'),
    ...counterOptions,
  })
  .superRefine(({ policies, chain, vendors }, context) => {
    const known = [...new Set([...chain, ...Object.values(vendors)])]
    if (known.length === 0) return
    const uses = Object.fromEntries([...chain, ...Object.keys(vendors)].map(name => [name, vendors[name]]))
    for (const name of Object.keys(policies))
      if (!isForOne(name, uses))
        context.addIssue({
          code: 'custom',
          path: ['policies', name],
          message: `is no provider or vendor of this pipeline; name one of ${known.join(', ')}`,
        })
  })

/** Limits of tokens and dollars for each provider. Answers nothing: it is asked before each vendor call. */
export default defineLayer({
  name: 'quota',
  label: 'l3',
  operations: ['*'],
  asks: { store: 'shared_store' },
  summary: 'limits of tokens and cost for each provider, by day, week and month',
  options,
  apply(host, { policies, chain, vendors, reserve, pricing: overrides, folder, shared_store: sharedStore }) {
    const { log, clock, offer, onReady } = host
    if (Object.keys(policies).length === 0) return
    const state = openCounters(host, { folder, sharedStore })
    const budgets = new Map(
      Object.entries(policies).map(([name, policy]) => {
        const { action_on_limit: action, warning_threshold_ratio: warnAt } = policy
        const limits = limitsOf(policy)
        const about = { scope: `provider:${name}`, holder: name, limits, refuses: action !== 'warn', warnAt }
        return [name, { action, budget: new Budget(about, state, { clock, log }) }] as const
      }),
    )
    offer(quotaStatus, () => [...budgets.values()].map(({ action, budget }) => statusOf(budget, action)))
    onReady(() => void Promise.all([...budgets.values()].map(({ budget }) => budget.refresh())))
    const names = [...budgets.keys()]
    const policyOf = (provider: string) => budgets.get(nameFor(provider, vendors[provider], names) ?? '')
    /** In words: what one of them has used may refuse another. */
    const holderOf = (provider: string): string => {
      const holder = policyOf(provider)?.budget.holder ?? provider
      const known = [...new Set([...chain, ...Object.keys(vendors)])]
      const sharing = known.filter(other => policyOf(other)?.budget.holder === holder)
      return sharing.length > 1 ? `${holder}, shared by ${listOf(sharing)},` : holder
    }
    const warnUnpriced = unpricedWarning(host)

    meterCalls(host, {
      meter: new CallMeter({
        pricing: pricing(overrides),
        vendors,
        reserve,
        typical: state.typical,
        unpriced: (provider, model) => policyOf(provider)?.budget.limits('usd') && warnUnpriced(provider, model),
      }),
      budgetOf: (_, { provider }) => policyOf(provider)?.budget,
      holderOf: ({ provider }) => holderOf(provider),
      refusal({ endsAt, neverFits }, message, { provider, operation }) {
        const waitMs = Math.max(1000, endsAt - clock.now())
        return policyOf(provider)?.action === 'fallback' && CHAINED.has(operation)
          ? new ProviderError('quota', message, neverFits ? {} : { retryAfterMs: waitMs })
          : new GatewayError('quota_blocked', message, neverFits ? {} : { retryAfterSecs: Math.ceil(waitMs / 1000) })
      },
    })
  },
})
