import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Cancellation } from '../../core/cancellation.ts'
import { inTime } from '../../core/in-time.ts'

/** A clock that is moved by hand. */
function handClock(patience: (ms: number) => number = ms => ms) {
  const timers = new Set<() => void>()
  const after = (_ms: number, run: () => void): (() => void) => {
    timers.add(run)
    return () => timers.delete(run)
  }
  const ring = (): void => {
    for (const run of timers) run()
  }
  return { clock: { after, patience }, timers, ring }
}

const never = (): Promise<string> => new Promise(() => {})

test('what is there in time is given, and the clock is let go', async () => {
  const { clock, timers } = handClock()
  assert.is(await inTime({ ms: 5, clock, what: 'no vector' }, async () => 'here'), 'here')
  assert.is(timers.size, 0)
})

test('what is late is told so, and its work is cancelled', async () => {
  const { clock, ring, timers } = handClock()
  let seen: Cancellation | undefined
  const result = inTime({ ms: 5, clock, what: 'no vector' }, work => {
    seen = work
    return never()
  })
  ring()
  const error: unknown = await result.catch((error: unknown) => error)
  assert.instance(error, DOMException)
  assert.match(String(error), 'TimeoutError: no vector within 5 ms')
  assert.is(seen?.reason, error)
  assert.is(timers.size, 0)
})

test('what arrived while the process was busy is not late', async () => {
  const { clock, ring } = handClock()
  let arrive: (text: string) => void = () => {}
  const work = new Promise<string>(resolve => {
    arrive = resolve
  })
  const result = inTime({ ms: 5, clock, what: 'no vector' }, () => work)
  ring()
  arrive('here')
  assert.is(await result, 'here')
})

test('a request that nobody waits for ends its work, or does not begin it', async () => {
  const { clock, timers } = handClock()
  const parent = new Cancellation()
  let begun = 0
  const run = (): Promise<string> =>
    inTime({ ms: 5, clock, what: 'no vector', parent }, () => {
      begun++
      return never()
    })
  const result = run()
  parent.cancel('left')
  assert.is(await result.catch((error: unknown) => error), 'left')
  assert.is(await run().catch((error: unknown) => error), 'left')
  assert.is(begun, 1)
  assert.is(timers.size, 0)
})

test('a clock that waits for work has no end', async () => {
  const { clock, timers } = handClock(() => Number.POSITIVE_INFINITY)
  assert.is(
    await inTime({ ms: 5, clock, what: 'no vector' }, async () => {
      assert.is(timers.size, 0)
      return 'here'
    }),
    'here',
  )
})

test.run()
