import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { CircuitBreaker } from '../../core/circuit-breaker.ts'
import { ManualClock, type TestHost, testHost } from '../contracts/host.ts'

interface Under {
  readonly breaker: CircuitBreaker
  readonly host: TestHost<'model'>
  /** When each probe began, in milliseconds since the start. */
  readonly probed: readonly number[]
  /** What the next probes come to. */
  outcome: () => Promise<void>
}

const away = (): Promise<void> => Promise.reject(new Error('still away'))
const there = (): Promise<void> => Promise.resolve()

function breakerOf(outcome: () => Promise<void>, host = testHost('model'), where = 'tei:80'): Under {
  const began = host.clock.now()
  const probed: number[] = []
  const under = { host, probed, outcome }
  const probe = (): Promise<void> => {
    probed.push(host.clock.now() - began)
    return under.outcome()
  }
  const { clock, log } = host.host
  return Object.assign(under, { breaker: new CircuitBreaker({ what: 'the server', where, probe, clock, log }) })
}

const lines = ({ logged }: TestHost<'model'>): string[] => logged.map(({ level, message }) => `${level} ${message}`)
const AWAY = 'warn the server is out of reach; requests go on without it'
const BACK = 'info the server answers again'

/** A probe that a test ends. */
function held(): { outcome: () => Promise<void>; succeed(): void; fail(error: Error): void } {
  let succeed = (): void => {}
  let fail = (_error: Error): void => {}
  const outcome = (): Promise<void> =>
    new Promise((resolve, reject) => {
      succeed = resolve
      fail = reject
    })
  return { outcome, succeed: () => succeed(), fail: error => fail(error) }
}

test('is opened by a failure and closed by a probe', async () => {
  const { breaker, host, probed } = breakerOf(there)
  assert.not.ok(breaker.open)
  breaker.failed(new Error('away'))
  assert.ok(breaker.open)
  await host.clock.advance(50)
  assert.is(probed.length, 1)
  assert.not.ok(breaker.open)
})

test('stays open while its probe is on its way, and after one that failed', async () => {
  const { outcome, fail, succeed } = held()
  const { breaker, host, probed } = breakerOf(outcome)
  breaker.failed(new Error('away'))
  await host.clock.advance(50)
  assert.is(probed.length, 1)
  assert.ok(breaker.open)
  fail(new Error('still away'))
  await nextTurn()
  assert.ok(breaker.open)
  await host.clock.advance(5000)
  assert.is(probed.length, 2)
  assert.ok(breaker.open)
  succeed()
  await nextTurn()
  assert.not.ok(breaker.open)
})

test('probes in ever longer steps, up to five seconds', async () => {
  const under = breakerOf(away)
  under.breaker.failed(new Error('away'))
  await under.host.clock.advance(69_000)
  const steps = under.probed.map((at, i) => at - (under.probed[i - 1] ?? 0))
  assert.equal(steps.slice(0, 9), [38, 75, 150, 300, 600, 1200, 2400, 3750, 3750])
  under.outcome = there
  await under.host.clock.advance(5000)
  assert.not.ok(under.breaker.open)
})

test('its owner may say how long a pause between two probes is at most', async () => {
  const { clock, log } = testHost('model').host
  const probed: number[] = []
  const probe = (): Promise<void> => {
    probed.push(clock.now())
    return away()
  }
  const breaker = new CircuitBreaker({ what: 'the server', where: 'tei:80', probe, lastRetryMs: 200, clock, log })
  breaker.failed(new Error('away'))
  assert.ok(clock instanceof ManualClock)
  await clock.advance(1000)
  assert.equal(
    probed.slice(1).map((at, i) => at - (probed[i] ?? 0)),
    [75, 150, 150, 150, 150, 150],
  )
})

test('warns once a minute, and says once that the server answers again', async () => {
  const under = breakerOf(away)
  const { breaker, host } = under
  breaker.failed(new Error('away'))
  assert.equal(host.logged, [
    {
      level: 'warn',
      message: 'the server is out of reach; requests go on without it',
      fields: { server: 'tei:80', reason: 'away' },
    },
  ])
  await host.clock.advance(59_000)
  assert.equal(lines(host), [AWAY])
  await host.clock.advance(10_000)
  assert.equal(lines(host), [AWAY, AWAY])
  under.outcome = there
  await host.clock.advance(5000)
  assert.equal(lines(host), [AWAY, AWAY, BACK])
  breaker.failed(new Error('away again'))
  assert.equal(lines(host), [AWAY, AWAY, BACK, AWAY], 'the next outage is said at once')
})

test('two breakers of one instance do not silence each other', () => {
  const host = testHost('model')
  breakerOf(away, host, 'one:80').breaker.failed(new Error('away'))
  breakerOf(away, host, 'two:80').breaker.failed(new Error('away'))
  assert.equal(
    host.logged.map(({ fields }) => fields.server),
    ['one:80', 'two:80'],
  )
})

test('makes one probe at a time, and many failures are one', async () => {
  const { breaker, host, probed } = breakerOf(() => new Promise(() => {}))
  for (let i = 0; i < 5; i++) breaker.failed(new Error('away'))
  assert.is(host.clock.sleeping, 1)
  await host.clock.advance(60_000)
  for (let i = 0; i < 5; i++) breaker.failed(new Error('away'))
  await host.clock.advance(60_000)
  assert.is(probed.length, 1)
})

test('a server that answers its probes and no requests is tried ever more rarely', async () => {
  const { breaker, host, probed } = breakerOf(there)
  const pauses: number[] = []
  const failOnce = async (): Promise<void> => {
    const before = host.clock.now()
    const tries = probed.length
    breaker.failed(new Error('late'))
    while (probed.length === tries) await host.clock.advance(1)
    pauses.push(host.clock.now() - before)
  }
  for (let i = 0; i < 3; i++) await failOnce()
  breaker.succeeded()
  await failOnce()
  assert.equal(pauses, [38, 75, 150, 38])
})

test('a probe that throws at once counts as one that failed', async () => {
  const { breaker, host, probed } = breakerOf(() => {
    throw new Error('no such host')
  })
  breaker.failed(new Error('away'))
  await host.clock.advance(200)
  assert.is(probed.length, 2)
  assert.ok(breaker.open)
})

test('ends its probes when it is disposed of, also one that is on its way', async () => {
  const waiting = breakerOf(away)
  waiting.breaker.failed(new Error('away'))
  waiting.breaker.dispose()
  await waiting.host.clock.advance(60_000)
  assert.is(waiting.probed.length, 0)

  const failing = held()
  const late = breakerOf(failing.outcome)
  late.breaker.failed(new Error('away'))
  await late.host.clock.advance(50)
  late.breaker.dispose()
  failing.fail(new Error('closed'))
  await late.host.clock.advance(60_000)
  assert.is(late.host.clock.sleeping, 0)
  assert.equal(lines(late.host), [AWAY])

  const succeeding = held()
  const answered = breakerOf(succeeding.outcome)
  answered.breaker.failed(new Error('away'))
  await answered.host.clock.advance(50)
  answered.breaker.dispose()
  succeeding.succeed()
  await answered.host.clock.advance(60_000)
  assert.equal(lines(answered.host), [AWAY], 'a disposed breaker says no more')
})

test.run()
