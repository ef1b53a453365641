import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Watchers } from '../../../../plugins/observers/live-requests/watchers.ts'
import { ManualClock } from '../../../contracts/host.ts'

const request = {
  id: 'r',
  time: '',
  layer: 'l3',
  status: 200,
  ms: 1,
  model: null,
  provider: null,
  client: 'direct',
  tool: 'curl',
  key: null,
  tags: [],
  error: null,
  saved: 0,
}

test('in one second so many requests are told of, and the next one says how many were not', async () => {
  const clock = new ManualClock()
  const watchers = new Watchers(clock, 2)
  const skipped: number[] = []
  const end = watchers.watch(seen => void skipped.push(seen.skipped))
  for (let i = 0; i < 5; i++) watchers.tell(() => request)
  assert.equal(skipped, [0, 0])
  await clock.advance(1_000)
  watchers.tell(() => request)
  assert.equal(skipped, [0, 0, 3])
  end()
  watchers.tell(() => {
    throw new Error('nobody watches')
  })
})

test.run()
