import { tracingChannel } from 'node:diagnostics_channel'
import { traced } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

test('what is traced ends once, with its result or its error, also where it throws at once', async () => {
  const channel = tracingChannel<unknown, { readonly name: string }>('test:traced')
  const told: unknown[] = []
  channel.start.subscribe(trace => told.push(['start', { ...(trace as object) }]))
  channel.asyncEnd.subscribe(trace => told.push(['end', { ...(trace as object) }]))
  const broken = new Error('broken')
  assert.is(await traced(channel, async () => 7, { name: 'a' }), 7)
  await traced(channel, () => Promise.reject(broken), { name: 'b' }).catch(error => assert.is(error, broken))
  const throws = (): Promise<void> => {
    throw broken
  }
  assert.throws(
    () => traced(channel, throws, { name: 'c' }),
    (error: unknown) => error === broken,
  )
  assert.equal(told, [
    ['start', { name: 'a' }],
    ['end', { name: 'a', result: 7 }],
    ['start', { name: 'b' }],
    ['end', { name: 'b', error: broken }],
    ['start', { name: 'c' }],
    ['end', { name: 'c', error: broken }],
  ])
})

test.run()
