import { type Answer, type AttemptOutcome, type Provider, type ProviderCall, textAnswer } from 'deflector'
import { ManualClock, plainPrompt, TestExchange, testHost } from 'deflector/contracts/host'
import { providerStatuses } from 'deflector/facets/provider-status'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import cloud from '../../../../plugins/layers/cloud/index.ts'
import { type Act, fails, provider, read, says, settled, Tap, textOf } from './double.ts'

const AFTER = 1000

/** A cloud that hedges every request, and what its flow was told of each attempt. */
function hedging(providers: Record<string, Provider>, options: Record<string, unknown> = {}) {
  const attempts: { provider: string; outcome: AttemptOutcome['outcome'] }[] = []
  const host = testHost('layer', {
    name: 'cloud',
    clock: new ManualClock(undefined, () => 0),
    providers,
    flow: hooks =>
      hooks.attempted.tap('books', (_, { provider }, { outcome }) => void attempts.push({ provider, outcome })),
  })
  const chain = Object.keys(providers)
  host.apply(cloud, { chain, hedge_after_ms: AFTER, hedge_budget: 1, ...options })
  let asked = 0
  const ask = (stream = false, exchange = new TestExchange({ prompt: plainPrompt(`q${asked++}`, { stream }) })) =>
    host.call.answer(exchange).then(answer => {
      if (!answer) throw new Error('the cloud passed on')
      return answer
    })
  return { ...host, ask, attempts, outcomeOf: (name: string) => attempts.find(one => one.provider === name)?.outcome }
}

/** Answers after so many milliseconds, unless it is cancelled, which it notes. */
function slow(clock: () => ManualClock, ms: number, cancelled: string[] = [], name = ''): Act {
  return async (call: ProviderCall): Promise<Answer> => {
    call.cancellation.onCancel(() => void cancelled.push(name))
    await clock().sleep(ms, call.signal)
    return textAnswer(`from ${name}`, { model: 'm' })
  }
}

test('the second is asked when the first is slow, and who speaks first wins', async () => {
  const cancelled: string[] = []
  let clock = new ManualClock()
  const first = provider([slow(() => clock, 60_000, cancelled, 'first')])
  const second = provider([slow(() => clock, 300, cancelled, 'second')])
  const host = hedging({ first, second })
  clock = host.clock
  const asking = host.ask()
  await settled()
  await clock.advance(AFTER - 1)
  assert.is(second.calls.length, 0)
  await clock.advance(301)
  await settled()
  const answer = await asking
  assert.is(textOf(answer), 'from second')
  assert.is(answer.facts.provider, 'second')
  assert.equal(cancelled, ['first'])
  assert.equal([host.outcomeOf('first'), host.outcomeOf('second')], ['cancelled', 'answered'])
  assert.is(clock.sleeping, 0)
})

test('a first that speaks in time is the only one that is asked', async () => {
  let clock = new ManualClock()
  const second = provider([says('hi')])
  const host = hedging({ first: provider([slow(() => clock, AFTER - 1, [], 'first')]), second })
  clock = host.clock
  const asking = host.ask()
  await settled()
  await clock.advance(AFTER * 2)
  assert.is(textOf(await asking), 'from first')
  assert.is(second.calls.length, 0)
  assert.is(host.attempts.length, 1)
  assert.is(clock.sleeping, 0)
})

test('a first that speaks after all wins, and the hedge is cancelled', async () => {
  const cancelled: string[] = []
  let clock = new ManualClock()
  const host = hedging({
    first: provider([slow(() => clock, AFTER + 100, cancelled, 'first')]),
    second: provider([slow(() => clock, 5000, cancelled, 'second')]),
  })
  clock = host.clock
  const asking = host.ask()
  await settled()
  await clock.advance(AFTER + 100)
  await settled()
  assert.is(textOf(await asking), 'from first')
  assert.equal(cancelled, ['second'])
  assert.equal([host.outcomeOf('first'), host.outcomeOf('second')], ['answered', 'cancelled'])
})

test('of streams the first content counts, and the winner is read to its end', async () => {
  const taps: Tap[] = []
  const streams: Act = call => {
    const tap = new Tap(call.signal)
    taps.push(tap)
    // A provider answers at the first content of a stream.
    return new Promise(resolve => call.cancellation.onCancel(() => resolve(tap.live)))
  }
  const second: Act = call => {
    const tap = new Tap(call.signal)
    tap.text('hello')
    taps.push(tap)
    return tap.live
  }
  const host = hedging({ first: provider([streams]), second: provider([second]) })
  const asking = host.ask(true)
  await settled()
  await host.clock.advance(AFTER)
  await settled()
  const answer = await asking
  assert.is(answer.facts.provider, 'second')
  if (answer.kind !== 'live') throw new Error('no stream')
  taps[1]?.text(' there')
  taps[1]?.end()
  assert.is(await read(answer), 'hello there')
  await settled()
  assert.equal([host.outcomeOf('first'), host.outcomeOf('second')], ['cancelled', 'answered'])
})

test('a hedge that fails leaves the first to be waited for, also where it calls the request wrong', async () => {
  for (const reason of ['unavailable', 'bad_request', 'rate_limited'] as const) {
    let clock = new ManualClock()
    const host = hedging(
      { first: provider([slow(() => clock, 20_000, [], 'first')]), second: provider([fails(reason)]) },
      { max_attempts: 1 },
    )
    clock = host.clock
    const asking = host.ask()
    await settled()
    await clock.advance(20_000)
    await settled()
    assert.is(textOf(await asking), 'from first', reason)
  }
})

test('a first that fails while the hedge is on its way is waited out, and nobody is asked twice', async () => {
  let clock = new ManualClock()
  const failsLate: Act = async call => {
    await clock.sleep(AFTER + 50, call.signal)
    return fails('unavailable')(call)
  }
  const second = provider([slow(() => clock, 3000, [], 'second')])
  const host = hedging({ first: provider([failsLate]), second }, { max_attempts: 1 })
  clock = host.clock
  const asking = host.ask()
  await settled()
  await clock.advance(AFTER + 3000)
  await settled()
  assert.is(textOf(await asking), 'from second')
  assert.is(second.calls.length, 1)
})

test('what the first calls wrong is the client’s own at once, and the hedge is cancelled', async () => {
  const cancelled: string[] = []
  let clock = new ManualClock()
  const refuses: Act = async call => {
    await clock.sleep(AFTER + 50, call.signal)
    return fails('bad_request', { status: 422 })(call)
  }
  const host = hedging({
    first: provider([refuses]),
    second: provider([slow(() => clock, 3000, cancelled, 'second')]),
  })
  clock = host.clock
  const asking = host.ask().catch(error => error)
  await settled()
  await clock.advance(AFTER + 50)
  await settled()
  assert.is((await asking).status, 422)
  assert.equal(cancelled, ['second'])
})

test('a client that leaves cancels both', async () => {
  const cancelled: string[] = []
  let clock = new ManualClock()
  const host = hedging({
    first: provider([slow(() => clock, 60_000, cancelled, 'first')]),
    second: provider([slow(() => clock, 60_000, cancelled, 'second')]),
  })
  clock = host.clock
  const exchange = new TestExchange()
  const asking = host.ask(false, exchange).catch(error => error)
  await settled()
  await clock.advance(AFTER)
  await settled()
  exchange.cancellation.cancel(new Error('gone'))
  await asking
  await settled()
  assert.equal(cancelled.sort(), ['first', 'second'])
  assert.equal(
    host.attempts.map(({ outcome }) => outcome),
    ['cancelled', 'cancelled'],
  )
  assert.is(clock.sleeping, 0)
})

test('the deadline of the chain ends both', async () => {
  let clock = new ManualClock()
  const host = hedging(
    {
      first: provider([slow(() => clock, 1e6, [], 'first')]),
      second: provider([slow(() => clock, 1e6, [], 'second')]),
    },
    { timeout_secs: 10, first_event_secs: 100, whole_answer_secs: 100 },
  )
  clock = host.clock
  const asking = host.ask().catch(error => error)
  await settled()
  await clock.advance(10_000)
  await settled()
  assert.is((await asking).code, 'upstream_timeout')
  assert.is(clock.sleeping, 0)
})

test('none is asked that is ill, that has no key, or where the client has chosen', async () => {
  const late = (ms: number) => () => new Promise<Answer>(() => ms)
  for (const [second, exchange] of [
    [provider([says('hi')], { keys: [] }), new TestExchange()],
    [provider([says('hi')]), new TestExchange({ route: { provider: 'first' } })],
  ] as const) {
    const host = hedging({ first: provider([late(0)]), second }, { whole_answer_secs: 50 })
    const asking = host.ask(false, exchange).catch(error => error)
    await settled()
    await host.clock.advance(AFTER * 10)
    assert.is(second.calls.length, 0)
    exchange.cancellation.cancel(new Error('gone'))
    await asking
  }
})

test('a request about state is never asked of two vendors', async () => {
  const prompt = plainPrompt('hello')
  const second = provider([says('hi')])
  for (const state of [
    { field: 'store', refers: [], creates: true },
    { field: 'previous_response_id', refers: ['r1'] },
  ]) {
    const host = hedging({ first: provider([() => new Promise(() => {})]), second })
    const exchange = new TestExchange({ prompt: Object.create(prompt, { state: { value: state } }) })
    const asking = host.ask(false, exchange).catch(error => error)
    await settled()
    await host.clock.advance(AFTER * 10)
    assert.is(second.calls.length, 0)
    exchange.cancellation.cancel(new Error('gone'))
    await asking
  }
})

test('off by default', async () => {
  const second = provider([says('hi')])
  const host = hedging({ first: provider([() => new Promise(() => {})]), second }, { hedge_after_ms: 0 })
  const exchange = new TestExchange()
  const asking = host.ask(false, exchange).catch(error => error)
  await settled()
  await host.clock.advance(20_000)
  assert.is(second.calls.length, 0)
  exchange.cancellation.cancel(new Error('gone'))
  await asking
})

test('however many are slow, hedges keep within their share of the requests', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }),
      async (budget, slowness) => {
        let clock = new ManualClock()
        let isSlow = false
        const first = provider([call => (isSlow ? slow(() => clock, 3000, [], 'first')(call) : says('hi')(call))])
        const second = provider([slow(() => clock, 5000, [], 'second')])
        const host = hedging({ first, second }, { hedge_budget: budget })
        clock = host.clock
        for (const [at, slowly] of slowness.entries()) {
          isSlow = slowly
          const asking = host.ask()
          await settled()
          if (slowly) await clock.advance(3000)
          await asking
          assert.ok(second.calls.length <= budget * (at + 1) + 1e-6, `${second.calls.length} of ${at + 1} at ${budget}`)
        }
      },
    ),
    { numRuns: 40 },
  )
})

test('of forty slow requests two are hedged by default, the twentieth and the last', async () => {
  let clock = new ManualClock()
  const second = provider([slow(() => clock, 5000, [], 'second')])
  const host = hedging({ first: provider([slow(() => clock, 3000, [], 'first')]), second }, { hedge_budget: 0.05 })
  clock = host.clock
  const hedged: number[] = []
  for (let request = 1; request <= 40; request++) {
    const before = second.calls.length
    const asking = host.ask()
    await settled()
    await clock.advance(3000)
    await asking
    if (second.calls.length > before) hedged.push(request)
  }
  assert.equal(hedged, [20, 40])
})

test('a provider that is outrun is known to be slow, though it never answers', async () => {
  let clock = new ManualClock()
  const host = hedging({
    first: provider([slow(() => clock, 60_000, [], 'first')]),
    second: provider([slow(() => clock, 300, [], 'second')]),
  })
  clock = host.clock
  const asking = host.ask()
  await settled()
  await clock.advance(AFTER + 300)
  await asking
  await settled()
  const [first, second] = host.offer(providerStatuses)?.statuses() ?? []
  assert.equal([first?.requests, first?.errors, first?.status], [1, 0, 'unknown'])
  assert.type(first?.latencyMs, 'number')
  assert.is(second?.status, 'healthy')
})

test.run()
