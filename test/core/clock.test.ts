import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../core/clock.ts'

test('a time that is too long for a timer is no time that is over at once', async () => {
  const early: string[] = []
  const left = new AbortController()
  const forget = systemClock.after(9_999_999_000, () => early.push('after'))
  const asleep = systemClock.sleep(Number.POSITIVE_INFINITY, left.signal).then(
    () => early.push('asleep'),
    () => {},
  )
  await systemClock.sleep(10)
  assert.equal(early, [])
  forget()
  left.abort()
  await asleep
})

test.run()
