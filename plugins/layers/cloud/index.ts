import {
  type Answer,
  Cancellation,
  CHAT,
  defineLayer,
  type Exchange,
  forClient,
  GatewayError,
  type VendorState,
} from 'deflector'
import { health } from 'deflector/facets/health'
import { principals } from 'deflector/facets/principals'
import { providerCalls } from 'deflector/facets/provider-calls'
import { providerEndpoint } from 'deflector/facets/provider-endpoint'
import { providerStatuses } from 'deflector/facets/provider-status'
import { stepWords, wordsFrom } from 'deflector/facets/step-words'
import { traceName } from 'deflector/facets/trace-name'
import { type Binding, notHeld, vendorStates } from 'deflector/facets/vendor-state'
import { asksAnew } from 'deflector/formats/cache-control'
import { readyKey } from 'deflector/formats/cache-key'
import { type Candidate, candidatesOf } from './candidate.ts'
import { Chain } from './chain.ts'
import { Circuits } from './circuits.ts'
import { HealthChecks } from './health-checks.ts'
import { Hedges, Outrun } from './hedges.ts'
import { HeldStates } from './held-states.ts'
import { type Cooldowns, KeyPool } from './key-pool.ts'
import { KeyRecords } from './key-records.ts'
import { OpenWork } from './open-work.ts'
import { options } from './options.ts'
import { Order, priceIn } from './order.ts'
import { ProviderRecords } from './provider-records.ts'
import { Resume } from './resume.ts'
import { SingleFlight, type StartCall } from './single-flight.ts'
import { withState } from './state-of-answer.ts'
import { scrubber, statusesOf } from './status.ts'
import { WorkFolder } from './work-folder.ts'

/** What this layer notes, in words. */
const WORDS = {
  joined: 'waited for the same call of another request',
  'refused to another': 'asked anew: the call that it waited for was refused to another key',
  'too large to join': 'asked anew: the stream that it waited for was too large to be joined',
}

/** L3: asks the cloud, one provider after the other, for what no earlier layer could answer. */
export default defineLayer({
  name: 'cloud',
  summary: 'asks a chain of cloud providers, with retries, key rotation and fallback (L3)',
  label: 'l3',
  spans: { answer: 'layer3_llm' },
  asks: { provider: 'chain', store: 'store' },
  operations: ['*'],
  deflects: false,
  options,
  apply(host, options) {
    const { clock, log } = host
    host.offer(traceName, 'L3_Cloud')
    host.offer(stepWords, wordsFrom(WORDS))
    const cooldowns = host.keep('key-cooldowns', (): Cooldowns => new Map())
    const times = { cooldownMs: options.key_cooldown_secs * 1000, cooldownMaxMs: options.key_cooldown_max_secs * 1000 }
    const keyRecords = host.keep('key-records', () => new KeyRecords())
    const { key_rotation_strategy: strategy, key_rotation_strategies: strategies } = options
    const strategyOf = (provider: string): typeof strategy => strategies[provider] ?? strategy
    const pool = new KeyPool(clock, log, { strategyOf, ...times }, cooldowns, keyRecords)
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
      strategyOf,
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
    const { work_folder: folder } = options
    // A store that several gateways share outlives each of them.
    const entries = folder === undefined || store?.counters ? store : new WorkFolder(folder)
    const works = new OpenWork(entries, log, options.state_ttl_secs)
    const keeping = { states, works }
    host.offer(vendorStates, {
      bindingOf: exchange => states.bindingOf(exchange),
      async settled(exchange, answer) {
        const { state } = exchange.prompt
        return state ? withState(exchange, answer, state, keeping) : answer
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
          `${route.localRule} keeps this request on the machine and no local layer answered; "deflector explain ${id}" says why`,
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
      if (route.named) refuseKeyless(candidates[0], pool, options.chain[0])
      traceCandidate(exchange, candidates[0])
      const ask: StartCall = cancellation =>
        vendors.ask(candidates, { exchange, prompt: outgoing, stream: prompt.stream }, cancellation)
      // Of other operations only their dialect knows whether asking once is as good as asking twice.
      const isShared = prompt.operation === CHAT && state === undefined && !asksAnew(exchange.headers)
      if (!isShared) calls.pass(exchange)
      const key = isShared ? readyKey(exchange) : ''
      const callKey = callKeyOf(typeof key === 'string' ? key : await key, exchange)
      const alone = (): Promise<Answer> => ask(Cancellation.following(exchange.cancellation))
      const asked = await (isShared ? calls.share(callKey, exchange, ask) : alone())
      const answer = state ? await withState(exchange, asked, state, keeping) : asked
      traceCandidate(exchange, exchange.attributes && candidates.find(({ name }) => name === answer.facts.provider))
      return answer
    })
    /** Takes keys out of what is remembered, those of clients too. */
    const scrubbing = ({ credentials }: Exchange, provider: string): ((text: string) => string) => {
      const own = scrubber(providers.find(({ name }) => name === provider))
      return text => credentials.reduce((clean, key) => clean.replaceAll(key, '***'), own(text))
    }
    /** Of the latest generation: what an older one has under way makes no new attempt either. */
    const latest = host.keep(`cloud-offline:${host.name}`, () => ({ offline: false }))
    host.onReady(() => {
      latest.offline = options.offline
    })
    // Behind the taps of other layers, which may have waited.
    host.hooks.attempt.tapPromise(host.name, async (_, attempt) => {
      if (latest.offline) throw new GatewayError('offline', 'offline_mode is on by now')
      chain.checkKey(attempt)
    })
    host.hooks.attempted.tap(host.name, (exchange, attempt, ended) => {
      const { error, outcome, ms } = ended
      works.attempted(exchange, attempt, ended)
      records.attempted(attempt, ended, scrubbing(exchange, attempt.provider))
      if (error instanceof Outrun && outcome === 'cancelled') records.outrun(attempt.provider, attempt.stream, ms)
    })
    // What one key made another one may not see, so these calls do not go round.
    const inOrder = new KeyPool(clock, log, { strategyOf: () => 'priority', ...times }, cooldowns, keyRecords)
    const once = new Chain(clock, log, inOrder, circuits, { ...limits, hold: false, maxAttempts: 1 })
    host.offer(providerCalls, {
      providers: options.chain,
      ask(provider, exchange, { model, stream, timeoutMs }) {
        const candidate = {
          name: provider.name,
          provider: forClient(provider, exchange),
          model,
          endpoint: exchange.prompt.endpoint,
        }
        const call = { exchange, prompt: exchange.outgoing, stream }
        return once.ask([candidate], call, Cancellation.following(exchange.cancellation), timeoutMs)
      },
      checkKey: attempt => once.checkKey(attempt),
      // How long an image takes says nothing of how long a chat does.
      attempted: (exchange, attempt, ended) =>
        records.attempted(attempt, ended, scrubbing(exchange, attempt.provider), false),
    })
    host.hooks.finish.tap(host.name, exchange => calls.finish(exchange))
    host.offer(health, () => {
      if (options.offline) return 'disabled'
      const ready = providers.filter(provider => pool.peek({ name: provider.name, provider }).state !== 'missing')
      if (ready.length === 0) return 'no_credential'
      // The latest word on each, of traffic or of a check, is that it fails.
      if (ready.every(({ name }) => circuits.isOpen(name) || records.of(name).failing === true)) return 'degraded'
      // A provider that is never asked is none to fall back on.
      return ready.length === providers.length ? 'active' : 'degraded'
    })
  },
})

/** Who names a provider outright wants no other vendor's answer in place of a setting that is missing. */
function refuseKeyless(named: Candidate | undefined, pool: KeyPool, primary: string | undefined): void {
  if (!named || pool.peek(named).state !== 'missing') return
  const { name } = named
  const setting = name === primary ? 'external_llm_api_key (SERVICE__EXTERNAL_LLM_API_KEY)' : 'its api_key'
  const what = `${name}, which "model" names, has no key: set ${setting} or provider_keys, or run "deflector set-key --provider ${name}"`
  throw new GatewayError('no_credential', what, { param: 'model' })
}

/** Writes the provider that is asked into the trace: the primary until another one has answered. */
function traceCandidate({ attributes, outgoing }: Exchange, candidate: Candidate | undefined): void {
  if (!attributes || !candidate) return
  attributes.set('ai.prompt.length_bytes', outgoing.bytes.length).set('provider.name', candidate.name)
  if (candidate.model === undefined) attributes.delete('model')
  else attributes.set('model', candidate.model)
}

/**
 * Requests with the same key share one call. Streams share only with streams: a stream that cannot be gathered without
 * loss still suits clients that stream, but could not answer a client that needs the whole. Who names the primary has
 * another order of providers than who does not.
 */
const callKeyOf = (key: string, { prompt: { stream }, route }: Exchange): string =>
  `${key}${stream ? ' streamed' : ''}${route.named ? ' named' : ''}`

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
