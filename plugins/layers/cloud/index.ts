import { defineLayer, type Exchange, GatewayError, type Prompt } from 'deflector'
import { readyKey } from 'deflector/formats/cache-key'
import { z } from 'zod'
import { Chain, type Step } from './chain.ts'
import { Flights } from './flights.ts'
import { type Cooldowns, KeyPool, type Link } from './key-pool.ts'

/** L3: what no layer before could answer is asked of the cloud, one provider after the other. */
export default defineLayer({
  name: 'cloud',
  summary: 'asks a chain of cloud providers, with retries, key rotation and fallback (L3)',
  label: 'l3',
  spans: { answer: 'layer3_llm' },
  asks: { provider: 'chain' },
  recordedAs: 'L3_Cloud',
  deflects: false,
  options: z.strictObject({
    chain: z
      .array(z.string())
      .default([])
      .describe('Instance names of the providers, in order: the first is the primary, the others are its fallbacks.'),
    offline: z.boolean().default(false).describe('Nothing leaves the machine; what no other layer answers is 503.'),
    timeout_secs: z.number().positive().default(120).describe('Seconds to the first byte, all attempts together.'),
    max_attempts: z.number().int().positive().default(3).describe('Attempts at each provider.'),
    retry_base_ms: z
      .number()
      .positive()
      .default(250)
      .describe('Longest first wait between two attempts; each further one may double.'),
    retry_cap_ms: z
      .number()
      .positive()
      .default(8000)
      .describe('Longest wait between two attempts when the vendor names none.'),
    key_rotation_strategy: z
      .enum(['round_robin', 'priority'])
      .default('round_robin')
      .describe('Which key is next: each in turn, or the one of lowest priority number that is not cooling down.'),
    key_cooldown_secs: z
      .number()
      .nonnegative()
      .default(60)
      .describe('Seconds that a rate-limited key rests when the vendor names no time.'),
    key_cooldown_max_secs: z
      .number()
      .nonnegative()
      .default(300)
      .describe('No key rests longer than this, whatever the vendor says.'),
  }),
  apply(host, options) {
    const { clock, log } = host
    const cooldowns = host.keep('key-cooldowns', (): Cooldowns => new Map())
    const times = { cooldownMs: options.key_cooldown_secs * 1000, cooldownMaxMs: options.key_cooldown_max_secs * 1000 }
    const pool = new KeyPool(clock, log, { strategy: options.key_rotation_strategy, ...times }, cooldowns)
    const chain = new Chain(clock, log, pool, {
      timeoutMs: options.timeout_secs * 1000,
      maxAttempts: options.max_attempts,
      retryBaseMs: options.retry_base_ms,
      retryCapMs: options.retry_cap_ms,
    })
    const links = options.chain.map(name => ({ name, provider: host.provider(name) }))
    const flights = new Flights()

    host.hooks.answer.tapPromise(host.name, async exchange => {
      const { route, outgoing, prompt, headers, id } = exchange
      if (options.offline) throw new GatewayError('offline', 'offline_mode is on and no local layer answered')
      if (route.localRule !== undefined) {
        throw new GatewayError(
          'route_closed',
          `${route.localRule} keeps this request on the machine and no local layer answered`,
        )
      }
      const steps = stepsOf(links, exchange)
      if (route.provider !== undefined && steps[0]?.name !== route.provider) {
        log.warn('the route names a provider that is not in the chain', { provider: route.provider, request: id })
      }
      const key = readyKey(exchange)
      traceStep(exchange, steps[0])
      const flight = flightKey(typeof key === 'string' ? key : await key, prompt)
      const answer = await flights.board(flight, exchange, cancellation =>
        chain.ask(steps, { prompt: outgoing, stream: prompt.stream, requestId: id, headers }, cancellation),
      )
      traceStep(exchange, exchange.attributes && steps.find(({ name }) => name === answer.provider))
      return answer
    })
    host.hooks.finish.tap(host.name, exchange => flights.finish(exchange))
    host.report(() => {
      if (options.offline) return { status: 'disabled' }
      return { status: links.some(link => pool.peek(link).state !== 'missing') ? 'active' : 'no_credential' }
    })
  },
})

/** Who is asked, which is the primary until another one has answered. */
function traceStep({ attributes, outgoing }: Exchange, step: Step | undefined): void {
  if (!attributes || !step) return
  attributes.set('ai.prompt.length_bytes', outgoing.bytes.length).set('provider.name', step.name)
  if (step.model === undefined) attributes.delete('model')
  else attributes.set('model', step.model)
}

/**
 * Who may share a call. Streams share only with streams: a stream that cannot be gathered without loss is still right for
 * those who read it as it comes, but there would be nothing to give to one who wants it whole.
 */
const flightKey = (key: string, { stream }: Prompt): string => (stream ? `${key} streamed` : key)

/**
 * The providers in the order to be asked, the route's choice first, and the model for each: the primary gets what the
 * client asked for, any other its own, since the client's is the primary's word.
 */
function stepsOf(links: readonly Link[], { route, model }: Exchange): Step[] {
  const steps = links.map(({ name, provider }, at): Step => {
    const own = provider.model
    return { name, provider, model: at === 0 ? (model ?? own) : (own ?? model) }
  })
  if (route.provider === undefined && route.model === undefined) return steps
  const preferred = steps.find(step => step.name === route.provider)
  const [first, ...rest] = preferred ? [preferred, ...steps.filter(step => step !== preferred)] : steps
  return first ? [{ ...first, model: route.model ?? first.model }, ...rest] : []
}
