import {
  type Answer,
  Cancellation,
  type Frame,
  GatewayError,
  isGatewayError,
  type Log,
  liveAnswer,
  ProviderError,
  textAnswer,
} from 'deflector'
import { ManualClock, plainPrompt, TestExchange } from 'deflector/contracts/host'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { hostLog } from '../../../../core/host-log.ts'
import type { ChainCall } from '../../../../plugins/layers/cloud/attempts.ts'
import { Chain } from '../../../../plugins/layers/cloud/chain.ts'
import { Circuits } from '../../../../plugins/layers/cloud/circuits.ts'
import { KeyPool } from '../../../../plugins/layers/cloud/key-pool.ts'
import {
  type Act,
  type Double,
  fails,
  handleOf,
  hangs,
  provider,
  quiet,
  read,
  says,
  settled,
  Tap,
  textOf,
} from './double.ts'

const SECOND = 1000

interface Ride {
  readonly clock: ManualClock
  readonly ask: (
    providers: Record<string, Double>,
    wanted?: Partial<ChainCall>,
    cancellation?: Cancellation,
  ) => Promise<Answer>
  /** The same for a request that chose one of them. */
  readonly choose: (name: string, providers: Record<string, Double>) => Promise<Answer>
}

function ride({
  timeoutSecs = 120,
  cooldownSecs = 60,
  maxSecs = 300,
  patienceSecs = 3,
  failures = 0,
  log = quiet,
  dice = 1,
} = {}): Ride {
  const clock = new ManualClock(undefined, () => dice)
  const pool = new KeyPool(clock, log, {
    strategyOf: () => 'round_robin',
    cooldownMs: cooldownSecs * SECOND,
    cooldownMaxMs: maxSecs * SECOND,
  })
  const circuits = new Circuits(clock, hostLog(log, clock), failures)
  const chain = new Chain(clock, log, pool, circuits, {
    timeoutMs: timeoutSecs * SECOND,
    firstEventMs: 30 * SECOND,
    wholeAnswerMs: 80 * SECOND,
    patienceMs: patienceSecs * SECOND,
    hold: false,
    maxAttempts: 3,
    retryBaseMs: 250,
    retryCapMs: 8000,
  })
  const exchange = new TestExchange({ id: 'r1' })
  const asked = (
    providers: Record<string, Double>,
    wanted: Partial<ChainCall>,
    cancellation: Cancellation,
    choice?: string,
  ): Promise<Answer> =>
    chain.ask(
      Object.entries(providers).map(([name, given]) => ({
        name,
        provider: handleOf(name, given, log),
        model: given.model,
        chosen: name === choice,
      })),
      { exchange, prompt: exchange.prompt, stream: false, ...wanted },
      cancellation,
    )
  return {
    clock,
    ask: (providers, wanted = {}, cancellation = new Cancellation()) => asked(providers, wanted, cancellation),
    choose: (name, providers) => asked(providers, {}, new Cancellation(), name),
  }
}

/** Lets time pass until the answer or the failure is there. */
async function inTime(
  clock: ManualClock,
  asking: Promise<Answer>,
  probes = 0,
): Promise<{ answer?: Answer; error?: unknown; ms: number }> {
  const from = clock.now()
  let outcome: { answer?: Answer; error?: unknown; ms: number } | undefined
  asking.then(
    answer => (outcome = { answer, ms: clock.now() - from }),
    error => (outcome = { error, ms: clock.now() - from }),
  )
  for (let step = 0; step < 5000 && !outcome; step++) {
    await settled()
    if (!outcome) await clock.advance(50)
  }
  if (!outcome) throw new Error('neither answer nor failure')
  assert.ok(clock.sleeping <= probes, 'no timer is left behind')
  return outcome
}

function refused(error: unknown): GatewayError {
  if (!isGatewayError(error)) throw new Error(`not a GatewayError: ${error}`)
  return error
}

test('names the provider that answered', async () => {
  const { ask } = ride()
  const answer = await ask({ acme: provider([says('hi')]) })
  assert.is(answer.facts.provider, 'acme')
  assert.is(textOf(answer), 'hi')
})

for (const [what, failure, calls] of [
  ['a stream that breaks', fails('protocol'), 1],
  ['silence', fails('timeout'), 1],
  ['500', fails('unavailable', { status: 500 }), 1],
  ['an event of overload', fails('overloaded'), 1],
  ['503', fails('overloaded', { status: 503 }), 2],
  ['429', fails('rate_limited', { status: 429, retryAfterMs: 1 }), 2],
] as const)
  test(`work that goes on by itself is not begun twice after ${what}`, async () => {
    const { clock, ask } = ride()
    const state = { field: 'background', refers: [], creates: true, essential: true, starts: true }
    const acme = provider([failure, says('begun')])
    const other = provider([says('begun elsewhere')])
    const prompt = { ...plainPrompt('hi'), state }
    const { answer, error } = await inTime(clock, ask({ acme, other }, { prompt }))
    assert.is(acme.calls.length + other.calls.length, calls)
    assert.is(answer !== undefined, calls === 2)
    assert.is(error !== undefined, calls === 1)
  })

test('a provider that ran out of time is asked again only where there is no other', async () => {
  const { clock, ask } = ride()
  const first = provider([fails('timeout'), says('at last')])
  assert.is((await inTime(clock, ask({ first, second: provider([says('hi')]) }))).answer?.facts.provider, 'second')
  const alone = provider([fails('timeout'), says('at last')])
  assert.is(textOf((await inTime(clock, ask({ alone }))).answer), 'at last')
})

for (const reason of ['overloaded', 'unavailable', 'network', 'protocol'] as const) {
  test(`asks again after ${reason}, three times in all, before it moves on`, async () => {
    const { clock, ask } = ride()
    const [first, second] = [provider([fails(reason)]), provider([says('hi')])]
    const { answer } = await inTime(clock, ask({ first, second }))
    assert.is(answer?.facts.provider, 'second')
    assert.is(first.calls.length, 3)
  })
}

test('waits twice as long after each failure, up to the cap', async () => {
  const { clock, ask } = ride()
  const times: number[] = []
  const act: Act = () => {
    times.push(clock.now())
    return fails('unavailable')({} as never)
  }
  await inTime(clock, ask({ first: provider([act]) }))
  assert.equal(
    times.slice(1).map((at, index) => at - (times[index] ?? 0)),
    [250, 500],
  )
})

test('gives a vendor that is overloaded for all (529) more time', async () => {
  const { clock, ask } = ride()
  const { ms } = await inTime(clock, ask({ first: provider([fails('overloaded', { status: 529 })]) }))
  assert.is(ms, 1000 + 2000)
})

test('throws the dice for every wait', async () => {
  const { clock, ask } = ride({ dice: 0 })
  const { ms } = await inTime(clock, ask({ first: provider([fails('unavailable')]) }))
  assert.is(ms, 0)
})

test('never asks again, nor anybody else, what a vendor refuses', async () => {
  const { ask } = ride()
  const [first, second] = [provider([fails('bad_request', { status: 422 })]), provider([says('hi')])]
  const error = refused(await ask({ first, second }).catch(error => error))
  assert.is(error.code, 'vendor_refused')
  assert.is(error.status, 422)
  assert.is(first.calls.length, 1)
  assert.is(second.calls.length, 0)
})

test('passes on what a converter finds wrong with the client’s own request', async () => {
  const { ask } = ride()
  const unfit: Act = () => {
    throw new GatewayError('bad_request', 'messages[0] is no message', { param: 'messages[0]' })
  }
  const second = provider([says('hi')])
  const error = refused(await ask({ first: provider([unfit]), second }).catch(error => error))
  assert.is(error.code, 'bad_request')
  assert.is(second.calls.length, 0)
})

test('a failure of the gateway’s own kind is still only this provider’s', async () => {
  const { clock, ask } = ride()
  const broken: Act = () => {
    throw new GatewayError('rate_limited', 'a plugin said so')
  }
  const { answer } = await inTime(clock, ask({ first: provider([broken]), second: provider([says('hi')]) }))
  assert.is(answer?.facts.provider, 'second')
})

test('takes the next key at once when one is limited', async () => {
  const { clock, ask } = ride()
  const first = provider([fails('rate_limited', { status: 429 }), says('hi')], { keys: ['a', 'b'] })
  const { answer, ms } = await inTime(clock, ask({ first }))
  assert.ok(answer)
  assert.is(ms, 0)
  assert.equal(
    first.calls.map(call => call.key),
    ['a', 'b'],
  )
})

test('tries every key, be they more than the attempts', async () => {
  const { ask } = ride()
  const limited = fails('rate_limited')
  const first = provider([limited, limited, limited, limited, says('hi')], { keys: ['a', 'b', 'c', 'd', 'e'] })
  assert.is(textOf(await ask({ first })), 'hi')
})

for (const reason of ['credential', 'quota'] as const) {
  test(`goes to the next key, then to the next provider, after ${reason}`, async () => {
    const { clock, ask } = ride()
    const [first, second] = [provider([fails(reason)], { keys: ['a', 'b'] }), provider([says('hi')])]
    const { answer, ms } = await inTime(clock, ask({ first, second }))
    assert.is(answer?.facts.provider, 'second')
    assert.equal(
      first.calls.map(call => call.key),
      ['a', 'b'],
    )
    assert.is(ms, 0)
  })
}

test('a key that the vendor rejects is left out of the retries, but rests no longer than the call', async () => {
  const { clock, ask } = ride()
  const first = provider([fails('credential'), fails('unavailable'), says('hi')], { keys: ['a', 'b'] })
  await inTime(clock, ask({ first }))
  await ask({ first })
  assert.equal(
    first.calls.map(call => call.key),
    ['a', 'b', 'b', 'a'],
  )
})

test('comes to an end with a provider that mints a new key for every call', async () => {
  const { ask } = ride()
  let minted = 0
  const first = { ...provider([fails('credential')]), keys: () => [{ key: `k${minted++}` }] }
  const error = refused(await ask({ first }).catch(error => error))
  assert.is(error.code, 'upstream_failed')
})

test('a rejected credential is 502, not a missing one', async () => {
  const { ask } = ride()
  const error = refused(
    await ask({ first: provider([fails('credential', { status: 401 })], { keys: ['a'] }) }).catch(error => error),
  )
  assert.is(error.code, 'upstream_failed')
  assert.is(error.status, 502)
  assert.match(error.message, 'first refused the key that the gateway sent, status 401')
})

test('a short Retry-After is waited for, also while another provider is free', async () => {
  for (const reason of ['rate_limited', 'overloaded'] as const) {
    const { clock, ask } = ride()
    const first = provider([fails(reason, { retryAfterMs: 2 * SECOND }), says('hi')], { keys: ['a'] })
    const { answer, ms } = await inTime(clock, ask({ first, second: provider([says('no')], { keys: ['b'] }) }))
    assert.is(answer?.facts.provider, 'first', reason)
    assert.is(ms, 2 * SECOND)
  }
})

test('another ready key comes before the wait', async () => {
  const { clock, ask } = ride()
  const first = provider([fails('rate_limited', { retryAfterMs: 2 * SECOND }), says('hi')], { keys: ['a', 'b'] })
  const { ms } = await inTime(clock, ask({ first, second: provider([says('no')]) }))
  assert.is(ms, 0)
  assert.equal(
    first.calls.map(call => call.key),
    ['a', 'b'],
  )
})

test('a time that no vendor named is not waited for, however short keys rest', async () => {
  const { clock, ask } = ride({ cooldownSecs: 2 })
  const first = provider([fails('rate_limited'), says('no')], { keys: ['a'] })
  const { answer, ms } = await inTime(clock, ask({ first, second: provider([says('hi')]) }))
  assert.equal([answer?.facts.provider, ms], ['second', 0])
})

test('waits for the key that rests the shortest', async () => {
  const { clock, ask } = ride()
  const limited = (secs: number) => fails('rate_limited', { retryAfterMs: secs * SECOND })
  const first = provider([limited(3), limited(40), says('hi')], { keys: ['a', 'b'] })
  const { ms } = await inTime(clock, ask({ first }))
  assert.is(ms, 3 * SECOND)
  assert.equal(
    first.calls.map(call => call.key),
    ['a', 'b', 'a'],
  )
})

test('a key that rests for a moment only is waited for by those who come later, too', async () => {
  const { clock, ask } = ride()
  const first = provider([fails('rate_limited', { retryAfterMs: 2 * SECOND }), says('hi')], { keys: ['a'] })
  const second = provider([says('no')])
  const early = ask({ first, second })
  await settled()
  await clock.advance(SECOND)
  const { answer, ms } = await inTime(clock, ask({ first, second }))
  assert.is(answer?.facts.provider, 'first')
  assert.is(ms, SECOND)
  await early
})

for (const reason of ['rate_limited', 'overloaded'] as const) {
  test(`a long Retry-After of ${reason} is not waited for: another provider is asked at once`, async () => {
    const { clock, ask } = ride()
    const first = provider([fails(reason, { retryAfterMs: 4 * SECOND })], { keys: ['a'] })
    const { answer, ms } = await inTime(clock, ask({ first, second: provider([says('hi')], { keys: ['b'] }) }))
    assert.is(answer?.facts.provider, 'second')
    assert.is(ms, 0)
    assert.is(first.calls.length, 1)
  })

  test(`with nobody else the client is told at once how long ${reason} lasts`, async () => {
    const { clock, ask } = ride()
    const first = provider([fails(reason, { retryAfterMs: 7 * SECOND })], { keys: ['a'] })
    const { error, ms } = await inTime(clock, ask({ first, second: provider([says('no')], { keys: [] }) }))
    assert.is(ms, 0)
    assert.is(first.calls.length, 1)
    assert.is(refused(error).code, reason === 'rate_limited' ? 'rate_limited' : 'upstream_failed')
    assert.is(refused(error).retryAfterSecs, 7)
  })
}

test('the patience is one for the whole call', async () => {
  const { clock, ask } = ride()
  const first = provider([fails('rate_limited', { retryAfterMs: 2 * SECOND })], { keys: ['a'] })
  const { error, ms } = await inTime(clock, ask({ first }))
  assert.is(ms, 2 * SECOND)
  assert.is(refused(error).code, 'rate_limited')
  assert.is(refused(error).retryAfterSecs, 2)
})

test('a wait of days is told as the longest cooldown', async () => {
  const { clock, ask } = ride({ timeoutSecs: 120, maxSecs: 300 })
  const first = provider([fails('rate_limited', { retryAfterMs: 86_400 * SECOND })], { keys: ['a'] })
  const { error, ms } = await inTime(clock, ask({ first }))
  assert.is(ms, 0)
  assert.is(refused(error).code, 'rate_limited')
  assert.is(refused(error).retryAfterSecs, 300)
})

test('a wait past the deadline is not begun', async () => {
  const { clock, ask } = ride({ timeoutSecs: 5, patienceSecs: 60 })
  const first = provider([fails('rate_limited', { retryAfterMs: 6 * SECOND })], { keys: ['a'] })
  const { error, ms } = await inTime(clock, ask({ first }))
  assert.is(ms, 0)
  assert.is(refused(error).retryAfterSecs, 6)
})

test('a key at its limit for one model serves the others', async () => {
  const { clock, ask } = ride()
  const acts = [fails('rate_limited'), says('hi')]
  const calls = provider(acts, { keys: ['a'] })
  await inTime(clock, ask({ first: { ...calls, model: 'large' } }))
  assert.is(calls.calls.length, 1)
  const { error } = await inTime(clock, ask({ first: { ...calls, model: 'large' } }))
  assert.is(refused(error).retryAfterSecs, 60)
  assert.is(calls.calls.length, 1)
  assert.is(textOf((await inTime(clock, ask({ first: { ...calls, model: 'small' } }))).answer), 'hi')
})

test('an account out of credit rests for all models', async () => {
  const { clock, ask } = ride()
  const calls = provider([fails('quota'), says('hi')], { keys: ['a'] })
  await inTime(clock, ask({ first: { ...calls, model: 'large' } }))
  await inTime(clock, ask({ first: { ...calls, model: 'small' } }))
  assert.is(calls.calls.length, 1)
})

for (const [stream, secs] of [
  [true, 30],
  [false, 80],
] as const) {
  test(`a provider that is silent for ${secs} s is left for another (stream: ${stream})`, async () => {
    const { clock, ask } = ride()
    const first = provider([hangs])
    const { answer, ms } = await inTime(clock, ask({ first, second: provider([says('hi')]) }, { stream }))
    assert.is(answer?.facts.provider, 'second')
    assert.is(ms, secs * SECOND)
    assert.is(first.calls.length, 1)
    assert.ok(first.calls[0]?.signal.aborted)
  })

  test(`with no other one ready it may run to the deadline (stream: ${stream})`, async () => {
    const { clock, ask } = ride()
    const first = provider([hangs])
    const { error, ms } = await inTime(clock, ask({ first, second: provider([says('no')], { keys: [] }) }, { stream }))
    assert.is(refused(error).code, 'upstream_timeout')
    assert.is(ms, 120 * SECOND)
  })
}

test('a provider has limits of its own', async () => {
  const { clock, ask } = ride()
  const first = { ...provider([hangs]), limits: { firstEventMs: 5 * SECOND } }
  const { ms } = await inTime(clock, ask({ first, second: provider([says('hi')]) }, { stream: true }))
  assert.is(ms, 5 * SECOND)
})

test('a prompt that is too long goes on to those with a larger window alone', async () => {
  const { ask } = ride()
  const first = provider([fails('context', { status: 400 })])
  const second = provider([says('no')])
  const third = { ...provider([says('hi')]), largerContext: true }
  assert.is((await ask({ first, second, third })).facts.provider, 'third')
  assert.equal([first.calls.length, second.calls.length], [1, 0])
  const error = refused(await ask({ first, second }).catch(error => error))
  assert.is(error.code, 'vendor_refused')
  assert.is(error.status, 400)
  assert.is(second.calls.length, 0)
})

test('a provider that fails again and again is asked after the others, until a request shows that it is back', async () => {
  const { clock, ask } = ride({ failures: 5 })
  let ill = true
  const first = provider([call => (ill ? fails('unavailable', { status: 500 })(call) : says('back')(call))])
  const second = provider([says('hi')])
  const one = async (): Promise<string | undefined> =>
    (await inTime(clock, ask({ first, second }), 1)).answer?.facts.provider
  for (let n = 0; n < 15; n++) assert.is(await one(), 'second')
  assert.ok(first.calls.length < 15, `${first.calls.length} calls of an ill provider`)
  ill = false
  await clock.advance(60 * SECOND)
  assert.is(await one(), 'first')
  assert.is(await one(), 'first')
})

/** One stream of acme's, which breaks off or is left after its first word; then who is asked first. */
async function firstAfter(times: number, act: Act, leaves: boolean): Promise<string | undefined> {
  const { clock, ask } = ride({ failures: 2 })
  const acme = provider([...Array.from({ length: times }, () => act), says('back')])
  const all = { acme, backup: provider([says('hi')]) }
  for (let at = 0; at < times; at++) {
    const client = new Cancellation()
    const answer = await ask(all, { stream: true }, client)
    if (answer.kind !== 'live') throw new Error('no stream')
    if (leaves) client.cancel(new GatewayError('client_left', 'gone'))
    await read(answer).catch(() => {})
    await settled()
  }
  return (await inTime(clock, ask(all), 1)).answer?.facts.provider
}

const breaksOff: Act = () => {
  async function* source(): AsyncGenerator<Frame> {
    yield { events: [{ type: 'text', text: 'hi' }], wire: 'hi' }
    throw new ProviderError('network', 'the line broke')
  }
  return liveAnswer({ format: 'plain', source: source() })
}
const endless: Act = ({ signal }) => {
  const tap = new Tap(signal)
  tap.text('hi')
  return tap.live
}

test('a stream that breaks off after its first byte is a failure of its provider, one that its client left is none', async () => {
  assert.is(await firstAfter(1, breaksOff, false), 'acme')
  assert.is(await firstAfter(2, breaksOff, false), 'backup')
  assert.is(await firstAfter(3, endless, true), 'acme')
})

test('streams that end well make up for those that broke off', async () => {
  const { clock, ask } = ride({ failures: 2 })
  const ends: Act = () => {
    const tap = new Tap()
    tap.text('hi')
    tap.end()
    return tap.live
  }
  const all = { acme: provider([breaksOff, ends, breaksOff, says('back')]), backup: provider([says('hi')]) }
  for (let at = 0; at < 3; at++) {
    const answer = await ask(all, { stream: true })
    if (answer.kind !== 'live') throw new Error('no stream')
    await read(answer).catch(() => {})
    await settled()
  }
  assert.is((await inTime(clock, ask(all))).answer?.facts.provider, 'acme')
})

test('a provider that a request chose is asked first, however often it failed before (D41)', async () => {
  const { clock, ask, choose } = ride({ failures: 1 })
  const acme = provider([fails('unavailable'), fails('unavailable'), says('back')])
  const all = { acme, backup: provider([says('hi')]) }
  await inTime(clock, ask(all), 1)
  assert.is((await inTime(clock, ask(all), 1)).answer?.facts.provider, 'backup', 'its circuit is open')
  const calls = acme.calls.length
  await inTime(clock, choose('acme', all), 1)
  assert.ok(acme.calls.length > calls, 'it is asked')
})

test('a request that is refused while a circuit is half open leaves its place to the next one', async () => {
  const { clock, ask } = ride({ failures: 1 })
  const refuses: Act = () => {
    throw new GatewayError('quota_blocked', 'nothing is left')
  }
  const acme = provider([fails('unavailable'), refuses, says('back')])
  const all = { acme, backup: provider([says('hi')]) }
  assert.is((await inTime(clock, ask(all), 1)).answer?.facts.provider, 'backup')
  await clock.advance(60 * SECOND)
  assert.is(refused((await inTime(clock, ask(all))).error).code, 'quota_blocked')
  assert.is((await inTime(clock, ask(all))).answer?.facts.provider, 'acme')
})

test('a provider that fails again and again is asked all the same where there is no other', async () => {
  const { clock, ask } = ride({ failures: 5 })
  const first = provider([...Array.from({ length: 6 }, () => fails('unavailable')), says('hi')])
  for (let n = 0; n < 2; n++) assert.ok((await inTime(clock, ask({ first }), 1)).error)
  assert.is(textOf((await inTime(clock, ask({ first }), 1)).answer), 'hi')
})

test('a 429 that nobody absorbs is a 429 with the soonest recovery', async () => {
  const { clock, ask } = ride({ timeoutSecs: 5 })
  const limited = (secs: number) => fails('rate_limited', { retryAfterMs: secs * SECOND })
  const { error } = await inTime(
    clock,
    ask({
      first: provider([limited(90)], { keys: ['a'] }),
      second: provider([limited(40), limited(200)], { keys: ['b', 'c'] }),
    }),
  )
  assert.is(refused(error).code, 'rate_limited')
  assert.is(refused(error).status, 429)
  assert.is(refused(error).retryAfterSecs, 40)
})

test('skips a provider whose keys all rest, and says when the first is back', async () => {
  const { clock, ask } = ride()
  const first = provider([fails('rate_limited')], { keys: ['a'] })
  const before = await inTime(clock, ask({ first }))
  assert.is(refused(before.error).retryAfterSecs, 60)
  await clock.advance(20 * SECOND)
  const { error, ms } = await inTime(clock, ask({ first }))
  assert.is(ms, 0)
  assert.is(first.calls.length, 1)
  assert.is(refused(error).retryAfterSecs, 40)
  await clock.advance(40 * SECOND)
  await inTime(clock, ask({ first }))
  assert.is(first.calls.length, 2)
})

test('a limit here and a failure there is 502', async () => {
  const { clock, ask } = ride()
  const { error } = await inTime(
    clock,
    ask({
      first: provider([fails('rate_limited')], { keys: ['a'] }),
      second: provider([fails('unavailable', { status: 500 })]),
    }),
  )
  assert.is(refused(error).code, 'upstream_failed')
  assert.match(refused(error).message, 'first: rate_limited')
  assert.match(refused(error).message, 'second: unavailable, status 500')
})

test('a limit beside what only the operator can mend is 429: a wait helps', async () => {
  for (const reason of ['credential', 'quota', 'unsayable'] as const) {
    const { clock, ask } = ride()
    const { error } = await inTime(
      clock,
      ask({
        first: provider([fails('rate_limited', { retryAfterMs: 40 * SECOND })], { keys: ['a'] }),
        second: provider([fails(reason)], { keys: ['b'] }),
      }),
    )
    const { code, retryAfterSecs, retryable, message } = refused(error)
    assert.equal([code, retryAfterSecs, retryable], ['rate_limited', 40, true], reason)
    assert.match(message, 'first: rate_limited')
    assert.match(message, 'second')
  }
})

/** What a limit of the operator's own does to a call, in the place of a tap. */
const blocks: Act = () => {
  throw new GatewayError('quota_blocked', 'nothing is left', { retryAfterSecs: 90 })
}

test('what a dialect cannot say stands for nobody else: the failure is that of those who were asked', async () => {
  const unsayable = (): Double => provider([fails('unsayable')])
  const failed = async (chain: Record<string, Double>): Promise<GatewayError> => {
    const { clock, ask } = ride()
    return refused((await inTime(clock, ask(chain))).error)
  }
  const spent = fails('quota', { status: 429 })
  const quota = await failed({ first: provider([spent], { keys: ['a'] }), second: unsayable() })
  assert.equal(
    [quota.status, quota.vendor?.class, quota.retryable, quota.retryAfterSecs],
    [429, 'billing', false, undefined],
  )
  assert.match(quota.message, 'second: unsayable')
  const keyless = await failed({ first: provider([says('hi')], { keys: [] }), second: unsayable() })
  assert.equal([keyless.code, keyless.vendor], ['no_credential', undefined])
  assert.match(keyless.message, 'configured for first;')
  const blocked = await failed({ first: unsayable(), second: provider([blocks]) })
  assert.is(blocked.code, 'quota_blocked')
  const wrongKey = await failed({ first: provider([fails('credential')], { keys: ['a'] }), second: unsayable() })
  assert.equal([wrongKey.status, wrongKey.vendor?.class], [502, 'authentication'])
})

test('how a provider was in the end counts: a limit after a failure is 429, a failure after a limit is 502', async () => {
  const limited = fails('rate_limited', { status: 429, retryAfterMs: 40 * SECOND })
  const failed = fails('unavailable', { status: 500 })
  const ends = async (...acts: Act[]): Promise<unknown> => {
    const { clock, ask } = ride()
    const { error } = await inTime(clock, ask({ first: provider(acts, { keys: ['a', 'b'] }) }))
    return [refused(error).status, refused(error).retryAfterSecs]
  }
  assert.equal(await ends(failed, limited), [429, 40])
  assert.equal(await ends(limited, failed), [502, undefined])
})

test('a quota that blocks the fallback hides no failure of a vendor: 502, and no other is asked', async () => {
  const { clock, ask } = ride()
  const first = provider([fails('unavailable', { status: 500 })])
  const third = provider([says('hi')])
  const { error } = await inTime(clock, ask({ first, second: provider([blocks]), third }))
  const { code, recoverable, retryable, message } = refused(error)
  assert.equal([code, recoverable, retryable, third.calls.length], ['upstream_failed', true, true, 0])
  assert.match(message, 'first: unavailable, status 500')
  assert.match(message, 'second: quota')
  const limited = provider([fails('rate_limited', { retryAfterMs: 40 * SECOND })], { keys: ['a'] })
  const both = refused((await inTime(clock, ask({ limited, second: provider([blocks]) }))).error)
  assert.equal([both.code, both.retryAfterSecs, both.retryable], ['rate_limited', 40, true])
})

test('a quota that blocks the first, or behind quotas alone, stops the call as it says', async () => {
  const { ask } = ride()
  const other = provider([says('hi')])
  const over: Act = () => {
    throw new ProviderError('quota', 'the window is full', { refused: true, retryAfterMs: 5 * SECOND })
  }
  const chains: Record<string, Double>[] = [
    { first: provider([blocks]), other },
    { first: provider([over]), second: provider([blocks]), other },
  ]
  for (const chain of chains) {
    const { code, message, retryAfterSecs } = refused(await ask(chain).catch(error => error))
    assert.equal([code, message, retryAfterSecs], ['quota_blocked', 'nothing is left', 90])
  }
  assert.is(other.calls.length, 0)
})

test('a quota blocks what is listed behind it, and not the ill provider that is listed before', async () => {
  const { clock, ask } = ride({ failures: 1 })
  const first = provider([...Array.from({ length: 4 }, () => fails('unavailable', { status: 500 })), says('back')])
  const all = { first, second: provider([says('hi'), blocks]) }
  assert.is(textOf((await inTime(clock, ask(all), 1)).answer), 'hi')
  assert.is(refused((await inTime(clock, ask(all), 1)).error).code, 'upstream_failed')
  assert.is(textOf((await inTime(clock, ask(all), 1)).answer), 'back')
})

test('says that there is no credential when nobody could be asked', async () => {
  const { ask } = ride()
  const none = refused(await ask({ first: provider([says('hi')], { keys: [] }) }).catch(error => error))
  assert.is(none.code, 'no_credential')
  assert.is(none.status, 502)
  assert.is(refused(await ask({}).catch(error => error)).code, 'no_credential')
})

test('an unconfigured provider hides no limit of another', async () => {
  const { clock, ask } = ride()
  const { error } = await inTime(
    clock,
    ask({ first: provider([says('hi')], { keys: [] }), second: provider([fails('rate_limited')], { keys: ['a'] }) }),
  )
  assert.is(refused(error).code, 'rate_limited')
})

test('the time for a first byte is one for all attempts, even if a plugin ignores its signal', async () => {
  const { clock, ask } = ride({ timeoutSecs: 10 })
  const [first, second] = [provider([fails('unavailable'), hangs]), provider([says('late')])]
  const { error, ms } = await inTime(clock, ask({ first, second }))
  assert.is(refused(error).code, 'upstream_timeout')
  assert.is(ms, 10 * SECOND)
  assert.ok(first.calls[1]?.signal.aborted)
  assert.is(second.calls.length, 0)
})

test('after the first byte the deadline is off', async () => {
  const { clock, ask } = ride({ timeoutSecs: 10 })
  const first = provider([says('hi')])
  await ask({ first })
  await clock.advance(60 * SECOND)
  assert.not(first.calls[0]?.signal.aborted)
})

test('stops when everybody has left, in the middle of a wait or of a call', async () => {
  for (const act of [fails('overloaded', { retryAfterMs: 2 * SECOND }), hangs]) {
    const { clock, ask } = ride()
    const sleep = clock.sleep.bind(clock)
    // Node's own timers reject with an error of their own, not with the signal's reason.
    clock.sleep = (ms, signal) =>
      sleep(ms, signal).catch(() => {
        throw new Error('aborted')
      })
    const leaving = new Cancellation()
    const first = provider([act])
    const asking = ask({ first }, {}, leaving).catch(error => error)
    await settled()
    const why = new GatewayError('client_left', 'gone')
    leaving.cancel(why)
    assert.is(await asking, why)
    assert.is(first.calls.length, 1)
    assert.is(clock.sleeping, 0)
  }
})

test('what a plugin throws that is no ProviderError counts as a broken answer and is logged', async () => {
  const errors: unknown[] = []
  const log: Log = { ...quiet, error: (_, fields) => void errors.push(fields) }
  const { clock, ask } = ride({ log })
  const broken: Act = () => {
    throw new TypeError('x is not a function')
  }
  const { answer } = await inTime(clock, ask({ first: provider([broken]), second: provider([says('hi')]) }))
  assert.is(answer?.facts.provider, 'second')
  assert.is(errors.length, 3)
})

test('something that is no answer counts as a broken one', async () => {
  const { clock, ask } = ride()
  const odd: Act = () => JSON.parse('{"text":"hi"}')
  const { error } = await inTime(clock, ask({ first: provider([odd]) }))
  const what = 'the provider plugin returned something that is not an answer'
  assert.match(refused(error).message, `first: protocol, ${what}`)
})

test('the client learns that a plugin failed, and not with what words', async () => {
  const { clock, ask } = ride()
  const broken: Act = () => {
    throw new TypeError('boom for key-1')
  }
  const { message } = refused((await inTime(clock, ask({ first: provider([broken]) }))).error)
  assert.match(message, "first: protocol, the provider plugin failed; the gateway's log says why")
  assert.not.match(message, 'boom')
})

test('a loop is not run through again', async () => {
  const { clock, ask } = ride()
  const first = provider([fails('unavailable', { status: 508 })])
  await inTime(clock, ask({ first }))
  assert.is(first.calls.length, 1)
})

test('gives every provider the same prompt and its own model', async () => {
  const { clock, ask } = ride()
  const prompt = plainPrompt('the original')
  const first = provider([fails('network')], { model: 'one' })
  const second = provider([() => textAnswer('hi', { model: 'two' })], { model: 'two' })
  await inTime(clock, ask({ first, second }, { prompt }))
  assert.is(second.calls[0]?.prompt, prompt)
  assert.equal([first.calls[0]?.model, second.calls[0]?.model], ['one', 'two'])
})

test('no error and no log line holds a key', async () => {
  const lines: unknown[] = []
  const keep = (message: string, fields?: Record<string, unknown>) => void lines.push(message, fields)
  const { clock, ask } = ride({ log: { debug: keep, info: keep, warn: keep, error: keep } })
  const { error } = await inTime(clock, ask({ first: provider([fails('credential')], { keys: ['sk-secret'] }) }))
  assert.not.match(JSON.stringify([lines, refused(error).message]), 'sk-secret')
})

test.run()
