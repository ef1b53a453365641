import {
  type Answer,
  Cancellation,
  CHAT,
  defineLayer,
  type Exchange,
  GatewayError,
  type Prompt,
  type VendorState,
} from 'deflector'
import { health } from 'deflector/facets/health'
import { principals } from 'deflector/facets/principals'
import { providerEndpoint } from 'deflector/facets/provider-endpoint'
import { providerStatuses } from 'deflector/facets/provider-status'
import { traceName } from 'deflector/facets/trace-name'
import { type Binding, notHeld, vendorStates } from 'deflector/facets/vendor-state'
import { readyKey } from 'deflector/formats/cache-key'
import { z } from 'zod'
import { type Candidate, candidatesOf } from './candidate.ts'
import { Chain } from './chain.ts'
import { Circuits } from './circuits.ts'
import { HealthChecks } from './health-checks.ts'
import { Hedges, Outrun } from './hedges.ts'
import { HeldStates } from './held-states.ts'
import { type Cooldowns, KeyPool } from './key-pool.ts'
import { KeyRecords } from './key-records.ts'
import { ORDERS, Order, priceIn } from './order.ts'
import { ProviderRecords } from './provider-records.ts'
import { Resume } from './resume.ts'
import { SingleFlight, type StartCall } from './single-flight.ts'
import { withState } from './state-of-answer.ts'
import { scrubber, statusesOf } from './status.ts'

const rate = z.number().min(0).optional()
const price = z.strictObject({
  input_cost_per_million_usd: rate,
  output_cost_per_million_usd: rate,
  cache_read_cost_per_million_usd: rate,
  cache_write_cost_per_million_usd: rate,
})

/** L3: asks the cloud, one provider after the other, for what no earlier layer could answer. */
export default defineLayer({
  name: 'cloud',
  summary: 'asks a chain of cloud providers, with retries, key rotation and fallback (L3)',
  label: 'l3',
  spans: { answer: 'layer3_llm' },
  asks: { provider: 'chain', store: 'store' },
  operations: ['*'],
  deflects: false,
  options: z.strictObject({
    chain: z
      .array(z.string())
      .default([])
      .describe('Instance names of the providers, in order: the first is the primary, the others are its fallbacks.'),
    order: z
      .enum(ORDERS)
      .default('listed')
      .describe(
        'Which provider is asked first: as listed, by chance and `weights`, the one that answers best of late, or the cheapest. What a request chose itself stays first.',
      ),
    weights: z
      .record(z.string(), z.number().nonnegative())
      .default({})
      .describe('Share of each provider in the order `weighted`; 1 for one that is not named.'),
    vendors: z
      .record(z.string(), z.string())
      .default({})
      .describe(
        'Vendor of each provider, whose prices count in the order `price`; its own name for one that is not named.',
      ),
    prices: z
      .record(z.string(), price)
      .default({})
      .describe('Prices by instance or vendor, in place of those of the built-in list.'),
    hedge_after_ms: z
      .number()
      .nonnegative()
      .default(0)
      .describe(
        'Milliseconds after which a second provider is asked as well: of silence of a stream, or without a whole answer. 0 is never.',
      ),
    hedge_budget: z.number().min(0).max(1).default(0.05).describe('Largest share of requests for which that happens.'),
    health_check_secs: z
      .number()
      .nonnegative()
      .default(0)
      .describe('Seconds between two looks at the list of models of each provider; 0 is never.'),
    store: z
      .string()
      .optional()
      .describe(
        'Name of the store that remembers which provider holds what state (threads, stored responses, files), and whose it is. Without it, references to state go to the first provider.',
      ),
    state_ttl_secs: z
      .number()
      .int()
      .positive()
      .default(2_592_000)
      .describe('Seconds for which that is remembered; vendors keep most state for 30 days.'),
    offline: z
      .boolean()
      .default(false)
      .describe('Never call a provider. A request that no other layer answers gets status 503.'),
    timeout_secs: z
      .number()
      .positive()
      .default(120)
      .describe('Time limit in seconds from the first attempt to the first byte, over all providers.'),
    first_event_secs: z
      .number()
      .positive()
      .default(30)
      .describe(
        'Seconds that a stream may be silent before its first content; then the next provider is asked, if one is ready.',
      ),
    whole_answer_secs: z
      .number()
      .positive()
      .default(80)
      .describe('Seconds that an answer which comes whole may take; then the next provider is asked, if one is ready.'),
    max_attempts: z.number().int().positive().default(3).describe('Most attempts at each provider.'),
    retry_base_ms: z
      .number()
      .positive()
      .default(250)
      .describe('Longest first wait between two attempts, in milliseconds; the limit doubles with every attempt.'),
    retry_cap_ms: z
      .number()
      .positive()
      .default(8000)
      .describe('Longest wait between two attempts when the vendor names none, in milliseconds.'),
    retry_patience_secs: z
      .number()
      .nonnegative()
      .default(3)
      .describe('Longest time in seconds that a request waits in all because a vendor asks for it.'),
    circuit_failures: z
      .int()
      .nonnegative()
      .default(5)
      .describe('Failures of a provider in a row after which the others are asked before it; 0 turns this off.'),
    stream_resume: z
      .enum(['splice', 'prefill', 'off'])
      .default('splice')
      .describe(
        'What happens to a stream that breaks off: `splice` asks again and goes on where the new answer begins with what was sent, `prefill` has a vendor continue what was sent if it documents that, `off` ends it.',
      ),
    stream_hold: z
      .boolean()
      .default(false)
      .describe('Hold a stream back until it is whole, so that one that breaks off is made up for like any failure.'),
    key_rotation_strategy: z
      .enum(['round_robin', 'priority'])
      .default('round_robin')
      .describe(
        'How the next key is chosen: each in turn, or the key with the lowest priority number that is not cooling down.',
      ),
    key_cooldown_secs: z
      .number()
      .nonnegative()
      .default(60)
      .describe('Seconds that a rate-limited key cools down when the vendor names no time.'),
    key_cooldown_max_secs: z
      .number()
      .nonnegative()
      .default(300)
      .describe('Longest cooldown of a key in seconds, whatever the vendor asks for.'),
  }),
  apply(host, options) {
    const { clock, log } = host
    host.offer(traceName, 'L3_Cloud')
    const cooldowns = host.keep('key-cooldowns', (): Cooldowns => new Map())
    const times = { cooldownMs: options.key_cooldown_secs * 1000, cooldownMaxMs: options.key_cooldown_max_secs * 1000 }
    const keyRecords = host.keep('key-records', () => new KeyRecords())
    const strategy = options.key_rotation_strategy
    const pool = new KeyPool(clock, log, { strategy, ...times }, cooldowns, keyRecords)
    const circuits = new Circuits(clock, log, options.circuit_failures)
    host.onDispose(() => circuits.dispose())
    const hedges = new Hedges(clock, { afterMs: options.hedge_after_ms, budget: options.hedge_budget })
    const limits = {
      timeoutMs: options.timeout_secs * 1000,
      firstEventMs: options.first_event_secs * 1000,
      wholeAnswerMs: options.whole_answer_secs * 1000,
      patienceMs: options.retry_patience_secs * 1000,
      hold: options.stream_hold,
      maxAttempts: options.max_attempts,
      retryBaseMs: options.retry_base_ms,
      retryCapMs: options.retry_cap_ms,
    }
    const chain = new Chain(clock, log, pool, circuits, limits, hedges)
    const vendors =
      options.stream_resume === 'off' ? chain : new Resume(chain, log, options.stream_resume === 'prefill')
    const providers = options.chain.map(name => host.provider(name))
    const records = host.keep(`provider-records:${host.name}`, () => new ProviderRecords(clock))
    host.onReady(() => records.retain(options.chain))
    const order = new Order(clock, options, records, priceIn(options.prices, options.vendors))
    const endpoints = host.offers(providerEndpoint, 'provider')
    const statuses = statusesOf({
      clock,
      providers,
      endpoints,
      pool,
      circuits,
      records,
      keyRecords,
      strategy,
      cooldownSecs: options.key_cooldown_secs,
      offline: options.offline,
    })
    host.offer(providerStatuses, statuses)
    const intervalMs = options.offline ? 0 : options.health_check_secs * 1000
    const checks = new HealthChecks(clock, log, options.chain, endpoints, statuses, intervalMs)
    host.onReady(() => checks.start())
    host.onDispose(() => checks.stop())
    const calls = new SingleFlight()
    const store = options.store === undefined ? undefined : host.store(options.store)
    const admitting = host.offers(principals)
    const several = (): boolean => [...admitting.values()].some(count => count > 1)
    const states = new HeldStates(store, log, options.state_ttl_secs, several)
    host.offer(vendorStates, {
      bindingOf: exchange => states.bindingOf(exchange),
      async settled(exchange, answer) {
        const { state } = exchange.prompt
        return state ? withState(exchange, answer, state, states) : answer
      },
      async reaches({ principal }, id) {
        const holder = await states.providerOf(id, principal)
        return holder !== undefined && options.chain.includes(holder)
      },
    })

    host.hooks.receive.tapPromise(host.name, async exchange => {
      // Once its body is in: a client that sends it slowly keeps no ended call. What cannot be read is for the flow to say.
      const read = (): void => calls.come(exchange)
      void exchange.read().then(read, () => {})
    })
    host.hooks.answer.tapPromise(host.name, async exchange => {
      const { route, outgoing, prompt, id } = exchange
      if (options.offline) throw new GatewayError('offline', 'offline_mode is on and no local layer answered')
      if (route.localRule !== undefined) {
        throw new GatewayError(
          'route_closed',
          `${route.localRule} keeps this request on the machine and no local layer answered`,
        )
      }
      const { state } = prompt
      const able = candidatesOf(providers, exchange)
      const listed = state ? boundTo(await states.bindingOf(exchange), able, state) : able
      const candidates = order.of(listed, prompt.stream)
      if (candidates.length === 0 && providers.length > 0)
        throw new GatewayError('unsupported_operation', `no provider of the chain serves ${prompt.operation}`)
      if (route.provider !== undefined && able[0]?.name !== route.provider) {
        log.warn('the route names a provider that is not in the chain', { provider: route.provider, request: id })
      }
      traceCandidate(exchange, candidates[0])
      const ask: StartCall = cancellation =>
        vendors.ask(candidates, { exchange, prompt: outgoing, stream: prompt.stream }, cancellation)
      // Of other operations only their dialect knows whether asking once is as good as asking twice.
      const isShared = prompt.operation === CHAT && state === undefined
      if (!isShared) calls.pass(exchange)
      const key = isShared ? readyKey(exchange) : ''
      const callKey = callKeyOf(typeof key === 'string' ? key : await key, prompt)
      const alone = (): Promise<Answer> => ask(Cancellation.following(exchange.cancellation))
      const asked = await (isShared ? calls.share(callKey, exchange, ask) : alone())
      const answer = state ? await withState(exchange, asked, state, states) : asked
      traceCandidate(exchange, exchange.attributes && candidates.find(({ name }) => name === answer.facts.provider))
      return answer
    })
    // Behind the taps of other layers, which may have waited.
    host.hooks.attempt.tapPromise(host.name, async (_, attempt) => chain.checkKey(attempt))
    host.hooks.attempted.tap(host.name, ({ credentials }, attempt, ended) => {
      const { error } = ended
      const own = scrubber(providers.find(({ name }) => name === attempt.provider))
      const scrub = (text: string): string =>
        credentials.reduce((clean, key) => clean.replaceAll(key, '***'), own(text))
      records.attempted(attempt, ended, scrub)
      if (error instanceof Outrun && ended.outcome === 'cancelled')
        records.outrun(attempt.provider, attempt.stream, ended.ms)
    })
    host.hooks.finish.tap(host.name, exchange => calls.finish(exchange))
    host.offer(health, () => {
      if (options.offline) return 'disabled'
      const ready = providers.filter(provider => pool.peek({ name: provider.name, provider }).state !== 'missing')
      if (ready.length === 0) return 'no_credential'
      // A provider that is never asked is none to fall back on.
      return ready.length === providers.length ? 'active' : 'degraded'
    })
  },
})

/** Writes the provider that is asked into the trace: the primary until another one has answered. */
function traceCandidate({ attributes, outgoing }: Exchange, candidate: Candidate | undefined): void {
  if (!attributes || !candidate) return
  attributes.set('ai.prompt.length_bytes', outgoing.bytes.length).set('provider.name', candidate.name)
  if (candidate.model === undefined) attributes.delete('model')
  else attributes.set('model', candidate.model)
}

/**
 * Requests with the same key share one call. Streams share only with streams: a stream that cannot be gathered without
 * loss still suits clients that stream, but could not answer a client that needs the whole.
 */
const callKeyOf = (key: string, { stream }: Prompt): string => (stream ? `${key} streamed` : key)

/** A reference is of no use to another provider than the one that holds what it names; the first may hold the unknown. */
function boundTo(
  binding: Binding | undefined,
  candidates: readonly Candidate[],
  { field }: VendorState,
): readonly Candidate[] {
  if (!binding) return candidates
  if (binding.provider === undefined) return candidates.slice(0, 1)
  const holder = candidates.find(({ name }) => name === binding.provider)
  if (!holder) throw notHeld(field)
  return [holder]
}
