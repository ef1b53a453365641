import {
  type Answer,
  Cancellation,
  GatewayError,
  isGatewayError,
  type LiveAnswer,
  ProviderError,
  textAnswer,
  wholeAnswer,
} from 'deflector'
import { TestExchange } from 'deflector/contracts/host'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SingleFlight } from '../../../../plugins/layers/cloud/single-flight.ts'
import { read, settled, Tap, textOf } from './double.ts'

interface Client {
  readonly exchange: TestExchange
  readonly leave: () => void
}

function client(): Client {
  const cancellation = new Cancellation()
  return { exchange: new TestExchange({ cancellation }), leave: () => cancellation.cancel(new Error('left')) }
}

/** Calls that a test answers by hand. */
function upstream() {
  const calls: { readonly signal: AbortSignal; answer(answer: Answer): void; fail(error: unknown): void }[] = []
  const start = ({ signal }: Cancellation): Promise<Answer> =>
    new Promise((answer, fail) => {
      calls.push({ signal, answer, fail })
      signal.addEventListener('abort', () => fail(signal.reason))
    })
  return { calls, start }
}

const live = (answer: Answer): LiveAnswer => {
  if (answer.kind !== 'live') throw new Error('not live')
  return answer
}

const codeOf = (error: unknown): GatewayError['code'] => {
  if (!isGatewayError(error)) throw new Error(`not a GatewayError: ${error}`)
  return error.code
}

test('fifty who ask the same at once cost one call', async () => {
  const singleFlight = new SingleFlight()
  const { calls, start } = upstream()
  const asking = Array.from({ length: 50 }, () => singleFlight.share('k', client().exchange, start))
  await settled()
  assert.is(calls.length, 1)
  calls[0]?.answer(textAnswer('hi', { model: 'm' }))
  const answers = await Promise.all(asking)
  assert.equal(new Set(answers.map(textOf)), new Set(['hi']))
  assert.is(answers.filter(answer => answer.facts.joined).length, 49)
  assert.not(answers[0]?.facts.joined)
})

test('who asks something else has a call of its own', () => {
  const singleFlight = new SingleFlight()
  const { calls, start } = upstream()
  singleFlight.share('k', client().exchange, start)
  singleFlight.share('other', client().exchange, start)
  assert.is(calls.length, 2)
})

test('a joined answer decodes no sooner than asked', async () => {
  const singleFlight = new SingleFlight()
  let decoded = 0
  const answer = wholeAnswer({
    completion: () => {
      decoded++
      return { id: '', model: '', created: 0, blocks: [], stop: { reason: 'stop' } }
    },
  })
  const lead = client().exchange
  singleFlight.share('k', lead, async () => answer)
  const joined = await singleFlight.share('k', client().exchange, async () => answer)
  assert.is(decoded, 0)
  assert.is(joined.kind === 'whole' && joined.completion.stop.reason, 'stop')
  assert.is(decoded, 1)
})

test('those who join a stream read it from the first frame', async () => {
  const singleFlight = new SingleFlight()
  const tap = new Tap()
  const lead = live(await singleFlight.share('k', client().exchange, async () => tap.live))
  const reading = read(lead)
  tap.text('one ')
  await settled()
  const late = live(await singleFlight.share('k', client().exchange, async () => tap.live))
  assert.ok(late.facts.joined)
  const lateReading = read(late)
  tap.text('two')
  await settled()
  tap.end()
  assert.is(await reading, 'one two')
  assert.is(await lateReading, 'one two')
  assert.is(textOf(await late.whole), 'one two')
})

test('a stream that is too large to join is asked for again, and the next ones join that call', async () => {
  const singleFlight = new SingleFlight()
  const taps: Tap[] = []
  const start = async (): Promise<Answer> => {
    const tap = new Tap()
    taps.push(tap)
    return tap.live
  }
  const lead = live(await singleFlight.share('k', client().exchange, start))
  const reading = read(lead)
  taps[0]?.text('x'.repeat(2 << 20))
  await settled()
  assert.not(lead.joinable)
  const second = live(await singleFlight.share('k', client().exchange, start))
  const third = live(await singleFlight.share('k', client().exchange, start))
  assert.is(taps.length, 2)
  assert.not(second.facts.joined)
  assert.ok(third.facts.joined)
  taps[0]?.end()
  assert.is((await reading).length, 2 << 20)
})

test('who went on to a call of its own holds the first one no longer', async () => {
  const singleFlight = new SingleFlight()
  const taps: { tap: Tap; signal: AbortSignal }[] = []
  const start = async ({ signal }: Cancellation): Promise<Answer> => {
    const tap = new Tap(signal)
    taps.push({ tap, signal })
    return tap.live
  }
  const leader = client()
  const reading = read(live(await singleFlight.share('k', leader.exchange, start))).catch(codeOf)
  taps[0]?.tap.text('x'.repeat(2 << 20))
  await settled()
  await singleFlight.share('k', client().exchange, start)
  leader.leave()
  assert.equal(
    taps.map(({ signal }) => signal.aborted),
    [true, false],
  )
  assert.is(await reading, 'client_left')
})

test('who joined is served even if the answer grows too large before it reads', async () => {
  const singleFlight = new SingleFlight()
  const tap = new Tap()
  const lead = live(await singleFlight.share('k', client().exchange, async () => tap.live))
  const joined = live(await singleFlight.share('k', client().exchange, async () => tap.live))
  const reading = read(lead)
  tap.text('x'.repeat(2 << 20))
  await settled()
  tap.end()
  await reading
  assert.is((await read(joined)).length, 2 << 20)
})

test('one who leaves cancels nobody, the last one cancels the call', async () => {
  const singleFlight = new SingleFlight()
  const { calls, start } = upstream()
  const [leader, second, third] = [client(), client(), client()]
  const asking = [leader, second, third].map(({ exchange }) => singleFlight.share('k', exchange, start).catch(codeOf))
  leader.leave()
  second.leave()
  await settled()
  assert.is(calls[0]?.signal.aborted, false)
  assert.is(await asking[1], 'client_left', 'who left waits no longer')
  third.leave()
  assert.is(calls[0]?.signal.aborted, true)
  assert.equal(await Promise.all(asking), ['client_left', 'client_left', 'client_left'])
})

test('a leader whose client left still brings the answer to the others', async () => {
  const singleFlight = new SingleFlight()
  const { calls, start } = upstream()
  const [leader, second] = [client(), client()]
  const asking = [leader, second].map(({ exchange }) => singleFlight.share('k', exchange, start))
  leader.leave()
  calls[0]?.answer(textAnswer('hi', { model: 'm' }))
  assert.equal((await Promise.all(asking)).map(textOf), ['hi', 'hi'])
})

test('leaving in the middle of a stream counts too', async () => {
  const singleFlight = new SingleFlight()
  let signal = new AbortController().signal
  const tap = (given: Cancellation) => {
    signal = given.signal
    return new Tap(signal).live
  }
  const [leader, second] = [client(), client()]
  const lead = live(await singleFlight.share('k', leader.exchange, async given => tap(given)))
  const joined = live(await singleFlight.share('k', second.exchange, async given => tap(given)))
  const reading = [read(lead), read(joined)].map(reader => reader.catch(codeOf))
  second.leave()
  await settled()
  assert.not(signal.aborted)
  leader.leave()
  assert.ok(signal.aborted)
  assert.equal(await Promise.all(reading), ['client_left', 'client_left'])
})

test('a call that everybody left is nobody’s to join', async () => {
  const singleFlight = new SingleFlight()
  const { calls, start } = upstream()
  const gone = client()
  const asking = singleFlight.share('k', gone.exchange, start).catch(codeOf)
  gone.leave()
  singleFlight.share('k', client().exchange, start)
  assert.is(calls.length, 2)
  await asking
  singleFlight.finish(gone.exchange)
  await settled()
  assert.is(singleFlight.size, 1, 'the second call flies on')
})

test('who has left before asking cancels its own call at once', async () => {
  const singleFlight = new SingleFlight()
  const { calls, start } = upstream()
  const gone = client()
  gone.leave()
  assert.is(await singleFlight.share('k', gone.exchange, start).catch(codeOf), 'client_left')
  assert.ok(calls[0]?.signal.aborted)
  assert.is(singleFlight.size, 0)
})

test('those who joined share the failure', async () => {
  const singleFlight = new SingleFlight()
  const { calls, start } = upstream()
  const asking = [client(), client(), client()].map(({ exchange }) =>
    singleFlight.share('k', exchange, start).catch(error => error),
  )
  const failure = new ProviderError('network', 'no such host')
  calls[0]?.fail(failure)
  assert.equal(new Set(await Promise.all(asking)), new Set([failure]))
})

const of = (principal: string): TestExchange => new TestExchange({ principal })
const overLimit = new GatewayError('quota_blocked', 'the tokens per minute limit of this key is reached')

test('a limit of the leader’s own key is not shared with others, who then make one call together', async () => {
  const singleFlight = new SingleFlight()
  const { calls, start } = upstream()
  const [ann, alsoAnn, bob, eve] = ['ann', 'ann', 'bob', 'eve'].map(name => singleFlight.share('k', of(name), start))
  assert.is(calls.length, 1)
  calls[0]?.fail(overLimit)
  for (const asked of [ann, alsoAnn]) assert.is(codeOf(await asked?.catch(error => error)), 'quota_blocked')
  await settled()
  assert.is(calls.length, 2)
  calls[1]?.answer(textAnswer('hi', { model: 'm' }))
  const answers = await Promise.all([bob, eve])
  assert.equal(
    answers.map(answer => answer?.facts.joined ?? false),
    [false, true],
  )
  assert.is(singleFlight.size, 1)
})

test('of several who are refused each asks once, and what a vendor says is shared with all', async () => {
  const singleFlight = new SingleFlight()
  const { calls, start } = upstream()
  const asking = ['ann', 'bob', 'eve'].map(name => singleFlight.share('k', of(name), start).catch(error => error))
  for (let n = 0; n < 3; n++) {
    calls[n]?.fail(overLimit)
    await settled()
  }
  assert.is(calls.length, 3)
  assert.equal((await Promise.all(asking)).map(codeOf), ['quota_blocked', 'quota_blocked', 'quota_blocked'])
  for (const code of ['rate_limited', 'vendor_refused', 'upstream_failed', 'internal'] as const) {
    const pair = ['ann', 'bob'].map(name => singleFlight.share(code, of(name), start).catch(error => error))
    calls.at(-1)?.fail(new GatewayError(code, 'as the vendor says'))
    assert.equal((await Promise.all(pair)).map(codeOf), [code, code])
  }
  assert.is(calls.length, 7)
})

test('can be joined until the leader’s exchange is over, and one turn longer', async () => {
  const singleFlight = new SingleFlight()
  const { calls, start } = upstream()
  const leader = client()
  const leading = singleFlight.share('k', leader.exchange, start)
  calls[0]?.answer(textAnswer('hi', { model: 'm' }))
  await leading
  await settled()
  const writing = await singleFlight.share('k', client().exchange, start)
  assert.ok(writing.facts.joined, 'the write-back is still going on')
  singleFlight.finish(leader.exchange)
  assert.ok(
    (await singleFlight.share('k', client().exchange, start)).facts.joined,
    'it may have looked into the cache before',
  )
  await settled()
  assert.is(singleFlight.size, 0)
  singleFlight.share('k', client().exchange, start)
  assert.is(calls.length, 2)
})

test('who came before the end joins however long a cache kept it, and who came after it does not', async () => {
  const singleFlight = new SingleFlight()
  const { calls, start } = upstream()
  const [leader, slow, hit, late] = [client(), client(), client(), client()]
  for (const { exchange } of [leader, slow, hit]) singleFlight.come(exchange)
  const leading = singleFlight.share('k', leader.exchange, start)
  calls[0]?.answer(textAnswer('hi', { model: 'm' }))
  await leading
  singleFlight.finish(leader.exchange)
  await settled()
  singleFlight.finish(hit.exchange) // a cache had it
  await settled()
  assert.is(singleFlight.size, 1, 'one is under way yet')
  assert.ok((await singleFlight.share('k', slow.exchange, start)).facts.joined)
  assert.is(calls.length, 1)
  await settled()
  assert.is(singleFlight.size, 0)

  const [second, waiting] = [client(), client()]
  for (const { exchange } of [second, waiting]) singleFlight.come(exchange)
  const again = singleFlight.share('k', second.exchange, start)
  calls[1]?.answer(textAnswer('ho', { model: 'm' }))
  await again
  singleFlight.finish(second.exchange)
  singleFlight.come(late.exchange)
  singleFlight.share('k', late.exchange, start)
  assert.is(calls.length, 3, 'it asks anew')
  singleFlight.pass(waiting.exchange)
  await settled()
  assert.is(singleFlight.size, 1, 'that of the late one')
})

test('an exchange that ended before its body was in keeps no call', async () => {
  const singleFlight = new SingleFlight()
  const { calls, start } = upstream()
  const [refused, leader] = [client(), client()]
  singleFlight.finish(refused.exchange)
  singleFlight.come(refused.exchange)
  singleFlight.come(leader.exchange)
  const leading = singleFlight.share('k', leader.exchange, start)
  calls[0]?.answer(textAnswer('hi', { model: 'm' }))
  await leading
  singleFlight.finish(leader.exchange)
  await settled()
  assert.is(singleFlight.size, 0)
})

test('a failure is shared with those who waited for it alone', async () => {
  const singleFlight = new SingleFlight()
  const { calls, start } = upstream()
  const [leader, slow] = [client(), client()]
  for (const { exchange } of [leader, slow]) singleFlight.come(exchange)
  const leading = singleFlight.share('k', leader.exchange, start)
  calls[0]?.fail(new ProviderError('unavailable', 'down'))
  await leading.catch(error => leader.exchange.failed(error))
  singleFlight.finish(leader.exchange)
  await settled()
  singleFlight.share('k', slow.exchange, start)
  assert.is(calls.length, 2)
})

test('the end of a joiner’s exchange does not end the flight', async () => {
  const singleFlight = new SingleFlight()
  const { calls, start } = upstream()
  const [leader, second] = [client(), client()]
  singleFlight.share('k', leader.exchange, start)
  singleFlight.share('k', second.exchange, start)
  singleFlight.finish(second.exchange)
  await settled()
  assert.is(singleFlight.size, 1)
  assert.is(calls.length, 1)
})

test.run()
