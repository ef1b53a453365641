import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Lookups } from '../../../../../plugins/layers/semantic-cache/engine/lookups.ts'
import { ManualClock } from '../../../../contracts/clock.ts'

const WAIT_MS = 30

/** Lookups that take 10 ms each. */
async function queue() {
  const clock = new ManualClock()
  const lookups = new Lookups(clock, () => {})
  const sent: number[] = []
  const open = (): Promise<unknown> => lookups.open(WAIT_MS, id => sent.push(id))
  const answer = (): void => lookups.close(sent.shift() ?? 0, [])
  void open()
  await clock.advance(10)
  answer()
  return { clock, lookups, open, answer }
}

/** How many more the queue takes now. */
function taken({ lookups, open }: Awaited<ReturnType<typeof queue>>): number {
  let count = 0
  for (; lookups.admits(WAIT_MS) && count < 100; count++) void open()
  return count
}

/** One that has just answered what it took of a hundred at once. */
async function overloaded() {
  const one = await queue()
  for (let n = 0; n < 100; n++) if (one.lookups.admits(WAIT_MS)) void one.open()
  for (let n = 0; n < 4; n++) {
    await one.clock.advance(10)
    one.answer()
  }
  return one
}

test('a burst may wait as long as a lookup does', async () => {
  assert.is(taken(await queue()), 4)
})

test('a queue that has stood for a while takes no more, until it is empty once', async () => {
  const one = await queue()
  void one.open()
  void one.open()
  await one.clock.advance(110)
  assert.is(taken(one), 0)
  one.answer()
  assert.not.ok(one.lookups.admits(WAIT_MS))
  one.answer()
  assert.is(taken(one), 3, 'one of the two took 110 ms')
})

test('where most lookups are refused, a queue that empties now and then takes no burst', async () => {
  const one = await overloaded()
  assert.ok(one.lookups.admits(WAIT_MS), 'one that finds the engine idle is taken')
  void one.open()
  assert.not.ok(one.lookups.admits(WAIT_MS))
})

test('after a rest, a burst is taken as if nothing had been refused', async () => {
  const one = await overloaded()
  await one.clock.advance(1000)
  assert.is(taken(one), 4)
})

test('what a lookup takes counts with all that kept the engine from it, and those left out do not count', async () => {
  const one = await queue()
  for (let n = 0; n < 100; n++) {
    void one.open()
    await one.clock.advance(20)
    one.answer()
  }
  assert.is(taken(one), 2)
  for (let n = 0; n < 100; n++) void one.lookups.open(WAIT_MS, id => one.lookups.drop(id))
  assert.is(one.lookups.owed, 2)
})

test('an operator who waits longer is not refused for a queue that stands', async () => {
  const one = await queue()
  void one.open()
  void one.open()
  await one.clock.advance(110)
  assert.not.ok(one.lookups.admits(WAIT_MS))
  assert.ok(one.lookups.admits(10_000))
})

test('each lookup ends when it is due, however long others may take', async () => {
  const clock = new ManualClock()
  const [late, began]: [number[], number] = [[], clock.monotonic()]
  const lookups = new Lookups(clock, id => late.push(id))
  const ended: string[] = []
  const open = (waitMs: number): void => {
    void lookups
      .open(waitMs, () => {})
      .then(result => ended.push(`${waitMs} ${result} at ${clock.monotonic() - began}`))
  }
  for (const waitMs of [10_000, 50, 30, 40]) open(waitMs)
  for (let ms = 0; ms < 100; ms += 10) {
    await clock.advance(10)
    await nextTurn()
  }
  assert.equal(ended, ['30 busy at 30', '40 busy at 40', '50 busy at 50'])
  assert.equal(late, [3, 4, 2])
  await clock.advance(10_000)
  await nextTurn()
  assert.is(ended.length, 4)
})

test('one after an answered long one ends when it is due', async () => {
  const clock = new ManualClock()
  const lookups = new Lookups(clock, () => {})
  void lookups.open(10_000, id => lookups.close(id, []))
  let result: unknown
  void lookups
    .open(30, () => {})
    .then(ended => {
      result = ended
    })
  await clock.advance(29)
  await nextTurn()
  assert.is(result, undefined)
  await clock.advance(1)
  await nextTurn()
  assert.is(result, 'busy')
})

test.run()
