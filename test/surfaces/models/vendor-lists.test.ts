import { ProviderError, type VendorModel } from 'deflector'
import { ManualClock } from 'deflector/contracts/host'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { hostLog } from '../../../core/host-log.ts'
import { VendorLists } from '../../../surfaces/models/vendor-lists.ts'

const HOUR = 3_600_000

function lists(list: () => Promise<readonly VendorModel[]>) {
  const clock = new ManualClock()
  const silent = (): void => {}
  const log = hostLog({ debug: silent, info: silent, warn: silent, error: silent }, clock)
  const asked = { count: 0 }
  const listModels = () => {
    asked.count++
    return list()
  }
  const all = new VendorLists({ clock, log }, [{ name: 'acme', provider: { listModels } }], HOUR)
  const ids = async () => (await all.all()).get('acme')?.map(({ id }) => id)
  return { clock, asked, ids }
}

test('a list is fetched once for all who ask at the same time, and again after its time', async () => {
  let id = 'a'
  const { clock, asked, ids } = lists(async () => [{ id }])
  assert.equal(await Promise.all([ids(), ids()]), [['a'], ['a']])
  assert.is(asked.count, 1)
  id = 'b'
  await clock.advance(HOUR)
  assert.equal(await ids(), ['a'], 'the old list meanwhile')
  assert.equal(await ids(), ['b'])
  assert.is(asked.count, 2)
})

test('a vendor that fails keeps its last list, and is asked again after a minute', async () => {
  let fails = false
  const { clock, asked, ids } = lists(async () => {
    if (fails) throw new ProviderError('unavailable', 'no')
    return [{ id: 'a' }]
  })
  await ids()
  fails = true
  await clock.advance(HOUR)
  await ids()
  assert.equal(await ids(), ['a'])
  assert.is(asked.count, 2)
  await clock.advance(60_000)
  await ids()
  assert.is(asked.count, 3)
})

test('nobody waits for a silent vendor for ever', async () => {
  const { clock, ids } = lists(() => new Promise(() => {}))
  const waiting = ids()
  await clock.advance(5_000)
  assert.equal(await waiting, [])
})

test.run()
