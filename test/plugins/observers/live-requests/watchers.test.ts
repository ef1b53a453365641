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
  cost_usd: null,
  saved_cost_usd: null,
}

const fail = (error: unknown): void => assert.unreachable(String(error))

test('in one second so many requests are told of, and the next one says how many were not', async () => {
  const clock = new ManualClock()
  const watchers = new Watchers(clock, 2)
  const skipped: number[] = []
  const end = watchers.watch(seen => void skipped.push(seen.skipped))
  for (let i = 0; i < 5; i++) watchers.tell(() => request, fail)
  await clock.advance(1_000)
  assert.equal(skipped, [0, 0])
  watchers.tell(() => request, fail)
  await clock.advance(50)
  assert.equal(skipped, [0, 0, 3])
  end()
  watchers.tell(() => {
    throw new Error('nobody watches')
  }, fail)
})

test('a request is told of when its cost is known', async () => {
  const clock = new ManualClock()
  const watchers = new Watchers(clock, 2)
  const costs: (number | null)[] = []
  watchers.watch(({ cost_usd }) => void costs.push(cost_usd))
  const record: { cost_usd: number | null } = { cost_usd: null }
  watchers.tell(() => ({ ...request, ...record }), fail)
  await clock.advance(20)
  assert.equal(costs, [])
  record.cost_usd = 0.25
  await clock.advance(30)
  assert.equal(costs, [0.25])
})

test('an error costs its own event alone: that of the request for all, that of a watcher for this one', async () => {
  const clock = new ManualClock()
  const watchers = new Watchers(clock, 5)
  const errors: string[] = []
  const failed = (error: unknown): void => void errors.push(String(error))
  const seen: string[] = []
  watchers.watch(({ id }) => {
    if (id === 'r') throw new Error('closed')
  })
  watchers.watch(({ id, skipped }) => void seen.push(`${id} ${skipped}`))
  watchers.tell(() => {
    throw new Error('no record')
  }, failed)
  await clock.advance(50)
  watchers.tell(() => request, failed)
  watchers.tell(() => ({ ...request, id: 's' }), failed)
  await clock.advance(50)
  assert.equal(seen, ['r 1', 's 0'])
  assert.equal(errors, ['Error: no record', 'Error: closed'])
})

test.run()
