import { isGatewayError, type Provider, type ProviderCall, ProviderError, textAnswer } from 'deflector'
import { ManualClock, plainPrompt, TestExchange, testHost } from 'deflector/contracts/host'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import cloud from '../../../../plugins/layers/cloud/index.ts'
import { type Act, fails, liveThen, provider, read, says, settled } from './double.ts'

const COOLDOWN = 60_000
const LONGEST = 300_000

/** What a vendor does with one call, some time after it came. */
interface Turn {
  readonly afterMs: number
  readonly does: 'answers' | 'limits' | 'is out of credit' | 'is down' | 'refuses the key' | 'limits in mid-stream'
  readonly retryAfterMs: number | undefined
}

interface Sent {
  readonly atMs: number
  readonly stream: boolean
  readonly model: string
}

const turn: fc.Arbitrary<Turn> = fc.record({
  afterMs: fc.nat(20_000),
  does: fc.constantFrom(
    'answers',
    'answers',
    'limits',
    'limits',
    'is out of credit',
    'is down',
    'refuses the key',
    'limits in mid-stream',
  ),
  retryAfterMs: fc.option(fc.nat(400_000), { nil: undefined }),
})
const sent: fc.Arbitrary<Sent> = fc.record({
  atMs: fc.nat(30_000),
  stream: fc.boolean(),
  model: fc.constantFrom('small', 'large'),
})

/** The cooldowns that the vendors' failures begin, as the specification has them. */
class Cooling {
  readonly #until = new Map<string, { since: number; until: number }>()

  begin(provider: string, key: string, model: string | undefined, since: number, retryAfterMs = COOLDOWN): void {
    const id = `${provider} ${key} ${model ?? '*'}`
    const until = since + Math.min(retryAfterMs, LONGEST)
    if (until >= (this.#until.get(id)?.until ?? 0)) this.#until.set(id, { since, until })
  }

  /** What becomes known at a moment counts from the next one on. */
  isCooling(provider: string, key: string, model: string | undefined, now: number): boolean {
    return [model ?? '*', '*'].some(one => {
      const cooldown = this.#until.get(`${provider} ${key} ${one}`)
      return cooldown !== undefined && cooldown.since < now && now < cooldown.until
    })
  }
}

test('no request starts on a cooling key, whatever the outcomes, the strategy and the times', async () => {
  let starts = 0
  let chosenAgain = 0
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        pools: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }),
        strategy: fc.constantFrom('round_robin', 'priority'),
        order: fc.constantFrom('listed', 'weighted', 'health'),
        hedgeAfterMs: fc.constantFrom(0, 1000),
        tapMs: fc.nat(15_000),
        turns: fc.array(turn, { minLength: 1, maxLength: 40 }),
        requests: fc.array(sent, { minLength: 1, maxLength: 25 }),
      }),
      async ({ pools, strategy, order, hedgeAfterMs, tapMs, turns, requests }) => {
        const clock = new ManualClock(undefined, () => 0.4)
        const cooling = new Cooling()
        const wrong: string[] = []
        let calls = 0
        const vendor = (name: string, count: number): Provider => ({
          keys: () => Array.from({ length: count }, (_, at) => ({ key: `${name}-key-${at}`, priority: at })),
          async complete(call: ProviderCall) {
            const { key = '', model } = call
            starts++
            if (cooling.isCooling(name, key, model, clock.monotonic())) wrong.push(`${name} ${key} ${model}`)
            const { afterMs, does, retryAfterMs } = turns[calls++ % turns.length] ?? turn0
            await clock.sleep(afterMs, call.signal)
            const details = retryAfterMs === undefined ? {} : { retryAfterMs }
            const limit = (reason: 'rate_limited' | 'quota') => {
              const of = reason === 'quota' ? undefined : model
              cooling.begin(name, key, of, clock.monotonic(), retryAfterMs)
              return new ProviderError(reason, 'no', details)
            }
            if (does === 'limits') throw limit('rate_limited')
            if (does === 'is out of credit') throw limit('quota')
            if (does === 'is down') throw new ProviderError('unavailable', 'down', { status: 503 })
            if (does === 'refuses the key') throw new ProviderError('credential', 'no', { status: 401 })
            if (does === 'limits in mid-stream' && call.stream) return liveThen('hi', () => limit('rate_limited'))
            return textAnswer('hi', { model: 'm' })
          },
        })
        const providers = Object.fromEntries(pools.map((count, at) => [`p${at}`, vendor(`p${at}`, count)]))
        const host = testHost('layer', {
          name: 'cloud',
          clock,
          providers,
          // A reservation, say, which takes its time between the choice of the key and the call.
          before: hooks =>
            hooks.attempt.tapPromise('quota', (_, { cancellation }) => clock.sleep(tapMs, cancellation.signal)),
        })
        host.apply(cloud, {
          chain: Object.keys(providers),
          order,
          hedge_after_ms: hedgeAfterMs,
          hedge_budget: 1,
          key_rotation_strategy: strategy,
          stream_resume: 'off',
        })
        const open: Promise<unknown>[] = []
        for (const [at, { atMs, stream, model }] of requests.entries()) {
          await clock.advance(atMs)
          const exchange = new TestExchange({ prompt: plainPrompt(`q${at}`, { stream, model }) })
          open.push(
            host.call.answer(exchange).then(
              async answer => {
                if (answer?.kind === 'live') await read(answer).catch(() => {})
              },
              error => {
                if (!isGatewayError(error)) throw error
              },
            ),
          )
        }
        await settled()
        await clock.advance(600_000)
        await Promise.all(open)
        chosenAgain += host.logged.filter(
          ({ fields, message }) =>
            message === 'an attempt failed' && fields.reason === 'rate_limited' && fields.status === undefined,
        ).length
        assert.equal(wrong, [])
      },
    ),
    { numRuns: 150 },
  )
  // The property says something: keys were used, and limited.
  assert.ok(starts > 1000 && chosenAgain > 100, `${starts} ${chosenAgain}`)
})

const turn0: Turn = { afterMs: 0, does: 'answers', retryAfterMs: undefined }

/** A cloud whose flow has a tap of `attempt` that waits for so long. */
function layer(providers: Record<string, Provider>, options: Record<string, unknown> = {}, tapMs = 0) {
  const host = testHost('layer', {
    name: 'cloud',
    clock: new ManualClock(undefined, () => 0),
    providers,
    before: hooks =>
      hooks.attempt.tapPromise('quota', () => (tapMs === 0 ? Promise.resolve() : host.clock.sleep(tapMs))),
  })
  host.apply(cloud, { chain: Object.keys(providers), key_rotation_strategy: 'priority', ...options })
  let asked = 0
  return { ...host, ask: () => host.call.answer(new TestExchange({ prompt: plainPrompt(`q${asked++}`) })) }
}

test('a key that is limited while a tap of another request waits is not used: the next key is', async () => {
  const used: (string | undefined)[] = []
  const acts: Act = call => {
    used.push(call.key)
    return used.length === 1 ? fails('rate_limited', { status: 429 })(call) : says('hi')(call)
  }
  const host = layer({ acme: provider([acts], { keys: ['a', 'b'] }) }, {}, 100)
  const first = host.ask()
  await settled()
  await host.clock.advance(50)
  const second = host.ask()
  await settled()
  await host.clock.advance(1000)
  await Promise.all([first, second])
  assert.equal(used, ['a', 'b', 'b'])
})

test('with all keys cooling the next provider is asked, and the resting one is not', async () => {
  const first = provider([fails('rate_limited', { status: 429, retryAfterMs: 40_000 })], { keys: ['a', 'b'] })
  const second = provider([says('hi')], { keys: ['c'] })
  const host = layer({ first, second })
  assert.is((await host.ask())?.facts.provider, 'second')
  assert.is(first.calls.length, 2)
  assert.is((await host.ask())?.facts.provider, 'second')
  assert.is(first.calls.length, 2)
})

test('with all keys of all providers cooling the client gets 429 and the soonest recovery', async () => {
  const waits = new Map([
    ['a', 90_000],
    ['b', 40_000],
    ['c', 70_000],
  ])
  const limits: Act = call => fails('rate_limited', { status: 429, retryAfterMs: waits.get(call.key ?? '') ?? 0 })(call)
  const host = layer({ first: provider([limits], { keys: ['a', 'b'] }), second: provider([limits], { keys: ['c'] }) })
  const refusal = async () => {
    const error: unknown = await host.ask().catch(error => error)
    if (!isGatewayError(error)) throw new Error(String(error))
    return [error.status, error.retryAfterSecs]
  }
  assert.equal(await refusal(), [429, 40])
  await host.clock.advance(25_000)
  assert.equal(await refusal(), [429, 15])
})

test('a limit in the middle of a stream cools its key', async () => {
  const streams: Act = () => liveThen('hi', () => new ProviderError('rate_limited', 'enough', { retryAfterMs: 50_000 }))
  const acme = provider([streams, says('hi')], { keys: ['a', 'b'] })
  const host = layer({ acme }, { stream_resume: 'off' })
  const answer = await host.call.answer(new TestExchange({ prompt: plainPrompt('q', { stream: true }) }))
  if (answer?.kind !== 'live') throw new Error('no stream')
  await read(answer).catch(() => {})
  await settled()
  await host.ask()
  assert.equal(
    acme.calls.map(({ key }) => key),
    ['a', 'b'],
  )
})

test.run()
