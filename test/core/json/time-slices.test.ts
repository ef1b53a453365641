import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sharedTimeSlice } from '../../../core/json/time-slices.ts'

let ms = 0
const now = (): number => ms
/** Uses up a slice of time. */
const work = (): void => {
  ms += 3
}

test('work of one turn counts together, and each that comes after its slice waits for a turn of its own', async () => {
  const yieldIfDue = sharedTimeSlice(now)
  assert.is(yieldIfDue(), undefined)
  assert.is(yieldIfDue(), undefined, 'there is time left')
  work()
  let turn = 0
  const granted: number[] = []
  const waiting = [1, 2, 3].map(async () => {
    const wait = yieldIfDue()
    assert.ok(wait, 'the slice is used up')
    await wait
    granted.push(turn)
  })
  while (granted.length < 3 && turn < 20) {
    await nextTurn()
    turn++
  }
  await Promise.all(waiting)
  assert.is(new Set(granted).size, 3, `one a turn: ${granted}`)
})

test('a new turn has a new slice', async () => {
  const yieldIfDue = sharedTimeSlice(now)
  yieldIfDue()
  work()
  await nextTurn()
  assert.is(yieldIfDue(), undefined)
})

test.run()
