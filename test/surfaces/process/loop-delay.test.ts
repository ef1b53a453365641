import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Delays, LoopDelay } from '../../../surfaces/process/loop-delay.ts'
import { ManualClock } from '../../contracts/clock.ts'
import { until } from '../../support/until.ts'

test('delays are told from the second look on, and measured no more once nobody looks', async () => {
  const clock = new ManualClock()
  const delay = new LoopDelay(clock)
  assert.is(delay.look(), undefined)
  const seen: Delays[] = []
  await until('the loop was sampled', () => {
    const delays = delay.look()
    if (delays) seen.push(delays)
    return seen.length > 0
  })
  const [{ p50, p99, max } = { p50: -1, p99: -1, max: -1 }] = seen
  assert.ok(p50 >= 0 && p99 >= p50 && max >= p99, `${p50} ${p99} ${max}`)
  clock.advance(60_000)
  assert.is(delay.look(), undefined)
  delay.stop()
})

test.run()
