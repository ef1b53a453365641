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

test('work of one turn counts together, and what comes after its slice waits', async () => {
  const yieldIfDue = sharedTimeSlice(1, now)
  assert.is(yieldIfDue(), undefined)
  assert.is(yieldIfDue(), undefined, 'there is time left')
  work()
  let turn = 0
  const granted: number[] = []
  const waiting = [1, 2, 3].map(async () => {
    const wait = yieldIfDue()
    assert.ok(wait, 'the slice is used up')
    await wait
    await undefined // what follows at once belongs to the piece of work
    granted.push(turn)
    work()
  })
  while (granted.length < 3 && turn < 20) {
    await nextTurn()
    turn++
  }
  await Promise.all(waiting)
  assert.is(new Set(granted).size, 3, `one a turn, as each uses up a slice: ${granted}`)
})

test('one turn takes as many of those who wait as it has time for, in the order in which they came', async () => {
  const yieldIfDue = sharedTimeSlice(4, now)
  yieldIfDue()
  work()
  work()
  let turn = 0
  const granted: string[] = []
  const waiting = ['a', 'b', 'c', 'd', 'e'].map(async name => {
    await yieldIfDue()
    await undefined // what follows at once belongs to the piece of work
    granted.push(`${name}${turn}`)
    work()
  })
  while (granted.length < 5 && turn < 20) {
    await nextTurn()
    turn++
  }
  await Promise.all(waiting)
  assert.equal(granted, ['a0', 'b0', 'c1', 'd1', 'e2'])
})

test('nobody passes those who wait', async () => {
  const yieldIfDue = sharedTimeSlice(1, now)
  yieldIfDue()
  work()
  const granted: number[] = []
  const waiting: Promise<void>[] = []
  const come = async (name: number): Promise<void> => {
    await yieldIfDue()
    granted.push(name)
    work()
  }
  for (let name = 0; name < 8; name++) {
    waiting.push(come(name))
    if (name % 2 === 1) await nextTurn()
  }
  await Promise.all(waiting)
  assert.equal(granted, [0, 1, 2, 3, 4, 5, 6, 7])
})

test('a new turn has a new slice', async () => {
  const yieldIfDue = sharedTimeSlice(1, now)
  yieldIfDue()
  work()
  await nextTurn()
  assert.is(yieldIfDue(), undefined)
})

test.run()
