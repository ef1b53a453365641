import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Delays, LoopDelay } from '../../../surfaces/process/loop-delay.ts'
import { ManualClock } from '../../contracts/clock.ts'
import { until } from '../../support/until.ts'

/** A measurement whose first slice has samples. */
async function sampled(clock: ManualClock): Promise<{ readonly delay: LoopDelay; readonly first: Delays }> {
  const delay = new LoopDelay(clock)
  assert.is(delay.look(), undefined)
  const seen: Delays[] = []
  await until('the loop was sampled', () => {
    const delays = delay.look()
    if (delays) seen.push(delays)
    return seen.length > 0
  })
  const [first] = seen
  if (!first) throw new Error('nothing was seen')
  return { delay, first }
}

test('delays are told from the second look on, and measured no more once nobody looks', async () => {
  const clock = new ManualClock()
  const { delay, first } = await sampled(clock)
  const { p50, p99, max } = first
  assert.ok(p50 >= 0 && p99 >= p50 && max >= p99, `${p50} ${p99} ${max}`)
  for (let slice = 0; slice < 12; slice++) clock.advance(5_000)
  assert.is(delay.look(), undefined)
  delay.stop()
})

test('several who look are told the same, also of a delay before the last look of another', async () => {
  const clock = new ManualClock()
  const { delay } = await sampled(clock)
  // Keeps the event loop waiting.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60)
  await until('the delay was sampled', () => (delay.look()?.max ?? 0) > 30)
  clock.advance(5_000)
  const told = delay.look()
  assert.ok((told?.max ?? 0) > 30)
  assert.equal([delay.look(), delay.look()], [told, told])
  delay.stop()
})

test.run()
