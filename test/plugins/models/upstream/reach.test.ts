import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Reach } from '../../../../plugins/models/upstream/reach.ts'
import { type TestHost, testHost } from '../../../contracts/host.ts'

interface Under {
  readonly reach: Reach
  readonly host: TestHost<'model'>
  /** When each probe began, in milliseconds since the start. */
  readonly probed: readonly number[]
  /** What the next probes come to. */
  outcome: () => Promise<void>
}

const away = (): Promise<void> => Promise.reject(new Error('still away'))
const there = (): Promise<void> => Promise.resolve()

function reachOf(outcome: () => Promise<void>): Under {
  const host = testHost('model')
  const began = host.clock.now()
  const probed: number[] = []
  const under = { host, probed, outcome }
  const probe = (): Promise<void> => {
    probed.push(host.clock.now() - began)
    return under.outcome()
  }
  return Object.assign(under, { reach: new Reach('tei:80', probe, host.host) })
}

const warnings = ({ logged }: TestHost<'model'>): number => logged.filter(({ level }) => level === 'warn').length

test('is closed by a failure and opened by a probe', async () => {
  const { reach, host, probed } = reachOf(there)
  assert.ok(reach.open)
  reach.fell(new Error('away'))
  assert.not.ok(reach.open)
  await host.clock.advance(50)
  assert.is(probed.length, 1)
  assert.ok(reach.open)
})

test('probes in ever longer steps, up to five seconds, and warns once a minute', async () => {
  const under = reachOf(away)
  under.reach.fell(new Error('away'))
  await under.host.clock.advance(59_000)
  const steps = under.probed.map((at, i) => at - (under.probed[i - 1] ?? 0))
  assert.equal(steps.slice(0, 9), [38, 75, 150, 300, 600, 1200, 2400, 3750, 3750])
  assert.is(warnings(under.host), 1)
  await under.host.clock.advance(10_000)
  assert.is(warnings(under.host), 2)
  under.outcome = there
  await under.host.clock.advance(5000)
  assert.ok(under.reach.open)
})

test('makes one probe at a time, and many failures are one', async () => {
  const { reach, host, probed } = reachOf(() => new Promise(() => {}))
  for (let i = 0; i < 5; i++) reach.fell(new Error('away'))
  await host.clock.advance(60_000)
  assert.is(probed.length, 1)
})

test('a server that answers its probes and nobody else is tried ever more rarely', async () => {
  const { reach, host, probed } = reachOf(there)
  const pauses: number[] = []
  const fall = async (): Promise<void> => {
    const before = host.clock.now()
    const tries = probed.length
    reach.fell(new Error('late'))
    while (probed.length === tries) await host.clock.advance(1)
    pauses.push(host.clock.now() - before)
  }
  for (let i = 0; i < 3; i++) await fall()
  reach.answered()
  await fall()
  assert.equal(pauses, [38, 75, 150, 38])
})

test('ends its probes when it is disposed of, also one that is on its way', async () => {
  const waiting = reachOf(away)
  waiting.reach.fell(new Error('away'))
  waiting.reach.dispose()
  await waiting.host.clock.advance(60_000)
  assert.is(waiting.probed.length, 0)

  let fail: (error: Error) => void = () => {}
  const { reach, host } = reachOf(
    () =>
      new Promise((_, reject) => {
        fail = reject
      }),
  )
  reach.fell(new Error('away'))
  await host.clock.advance(50)
  reach.dispose()
  fail(new Error('closed'))
  await host.clock.advance(60_000)
  assert.is(host.clock.sleeping, 0)
})

test.run()
