import { defineLayer, type Exchange, GatewayError } from 'deflector'
import {
  Budget,
  CallMeter,
  type Limit,
  meterCalls,
  openCounters,
  type Refusal,
  refusalText,
  statusOf,
  unpricedWarning,
} from 'deflector/counters'
import { quotaStatus } from 'deflector/facets/quota-status'
import { counterOptions } from 'deflector/formats/counter-options'
import { pricing } from 'deflector/pricing'
import { z } from 'zod'

const keyLimits = z.strictObject({
  requests_per_minute: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('Requests in a UTC minute, answered from a cache or not.'),
  tokens_per_minute: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('Tokens in a UTC minute, of prompts that go to a vendor and of their answers.'),
  daily_cost_limit_usd: z.number().min(0).optional().describe('US dollars that vendor calls may cost in a UTC day.'),
})

/** Limits of each gateway key. Its requests are counted as they come, what they cost around each vendor call. */
export default defineLayer({
  name: 'key-limits',
  label: 'l0',
  operations: ['*'],
  asks: { store: 'shared_store' },
  summary: 'limits of requests, tokens and cost for each gateway key',
  options: z.strictObject({
    limits: z
      .record(z.string(), keyLimits)
      .default({})
      .describe('Limits, by the label of the key; "default" is that of the key without a label.'),
    ...counterOptions,
  }),
  apply(host, { limits, vendors, reserve, pricing: overrides, folder, shared_store: sharedStore }) {
    const { name, hooks, log, clock, offer, onReady } = host
    if (Object.keys(limits).length === 0) return
    const state = openCounters(host, { folder, sharedStore })
    const budgetsOf = (pick: (given: z.output<typeof keyLimits>) => Limit[]): ReadonlyMap<string, Budget> =>
      new Map(
        Object.entries(limits).flatMap(([label, given]) => {
          const own = pick(given)
          const about = { scope: `key:${label}`, holder: `key ${label}`, limits: own, refuses: true }
          return own.length === 0 ? [] : [[label, new Budget(about, state, { clock, log })] as const]
        }),
      )
    const requests = budgetsOf(({ requests_per_minute: most }) => limit('minute', 'requests', most))
    const calls = budgetsOf(({ tokens_per_minute, daily_cost_limit_usd }) => [
      ...limit('minute', 'tokens', tokens_per_minute),
      ...limit('daily', 'usd', daily_cost_limit_usd),
    ])
    const all = [...requests.values(), ...calls.values()]
    offer(quotaStatus, () => all.map(budget => statusOf(budget, 'block')))
    onReady(() => void Promise.all(all.map(budget => budget.refresh())))

    const ownOf = (budgets: ReadonlyMap<string, Budget>, { principal }: Exchange): Budget | undefined =>
      principal === undefined ? undefined : budgets.get(principal)
    const refusal = ({ endsAt, window, neverFits }: Refusal, message: string): GatewayError => {
      if (neverFits) return new GatewayError('quota_blocked', message)
      const wait = Math.max(1, Math.ceil((endsAt - clock.now()) / 1000))
      // What a minute mends is a rate limit, which clients wait for. A spent budget is none.
      const passing = { retryable: true, vendor: { class: 'rate_limit' } } as const
      return new GatewayError('quota_blocked', message, {
        retryAfterSecs: wait,
        ...(window === 'minute' && passing),
      })
    }

    hooks.receive.tapPromise(name, async exchange => {
      const budget = exchange.kind === 'chat' ? ownOf(requests, exchange) : undefined
      if (!budget) return
      const one = budget.reserve({ requests: 1 })
      const refused = await one.passed
      if (refused) throw refusal(refused, refusalText(HOLDER, refused, false))
      await one.settle({ requests: 1 })
    })

    const warnUnpriced = unpricedWarning(host)
    const hasCosts = [...calls.values()].some(budget => budget.limits('usd'))
    meterCalls(host, {
      meter: new CallMeter({
        pricing: pricing(overrides),
        vendors,
        reserve,
        typical: state.typical,
        unpriced: (provider, model) => hasCosts && warnUnpriced(provider, model),
      }),
      budgetOf: exchange => ownOf(calls, exchange),
      holderOf: () => HOLDER,
      refusal,
    })
  },
})

/** A client knows which key is its own. */
const HOLDER = 'this key'

const limit = (window: Limit['window'], unit: Limit['unit'], most: number | undefined): Limit[] =>
  most === undefined ? [] : [{ window, unit, limit: most }]
