import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { barOf, type Calibration, probabilityOf } from '../../../../plugins/models/pair/calibration.ts'

const calibration: Calibration = {
  temperature: 1,
  shift: 0,
  likeness: { shared: 0, contained: 0, length: 0 },
  bars: [
    {
      entries: 10_000,
      falseRequests: [
        [0.001, 0.99],
        [0.003, 0.96],
      ],
    },
    {
      entries: 1000,
      falseRequests: [
        [0.001, 0.97],
        [0.003, 0.94],
        [0.01, 0.8],
      ],
    },
  ],
}
const bar = (entries: number, falseRequests: number): number => barOf(calibration, entries, falseRequests)

test('likeness adds its weight to the logit, and nothing by default', () => {
  const likeness = { shared: 0.5, contained: 1, length: 0.25 }
  assert.is(probabilityOf(0, likeness, calibration), 0.5)
  const weighed = { temperature: 2, shift: 1, likeness: { shared: 2, contained: 1, length: 4 } }
  assert.is(probabilityOf(2, likeness, weighed), 1 / (1 + Math.exp(-2)))
})

test('the bar is that of the next smaller share, and of the smallest cache in all below', () => {
  assert.is(bar(1000, 0.003), 0.94)
  assert.is(bar(10, 0.005), 0.94)
  assert.is(bar(0, 1), 0.8)
  assert.is(bar(10_000, 0.003), 0.96)
})

const isNear = (found: number, wanted: number): void =>
  assert.ok(Math.abs(found - wanted) < 1e-9, `${found} instead of ${wanted}`)

test('between two caches it rises with each doubling', () => {
  isNear(bar(1000 * Math.sqrt(10), 0.003), 0.95)
  isNear(bar(2000, 0.003), 0.94 + 0.02 / Math.log2(10))
  // The larger one was not measured for the share of 0.01, so that of 0.003 counts.
  isNear(bar(1000 * Math.sqrt(10), 0.01), 0.88)
})

test('above the largest cache measured, a doubling raises the bar as much as between the largest two', () => {
  const perDoubling = 0.02 / Math.log2(10)
  isNear(bar(20_000, 0.003), 0.96 + perDoubling)
  isNear(bar(80_000, 0.003), 0.96 + 3 * perDoubling)
  isNear(bar(10_001, 0.003), 0.96 + perDoubling * Math.log2(1.0001))
})

test('it rises no higher than a probability can be, and never falls', () => {
  for (const share of [0.001, 0.003, 0.01]) {
    let last = bar(10_000, share)
    for (let entries = 10_001; entries < 1e12; entries *= 3) {
      const next = bar(entries, share)
      assert.ok(next >= last && next < 1, `${entries}: ${next}`)
      last = next
    }
  }
  const [larger, smaller] = calibration.bars
  const falling = {
    ...calibration,
    bars: [
      { ...larger, entries: 1000 },
      { ...smaller, entries: 10_000 },
    ] as never,
  }
  assert.is(barOf(falling, 1_000_000, 0.003), 0.94)
})

test('where one size was measured its bar is all that is known', () => {
  const single = { ...calibration, bars: calibration.bars.slice(0, 1) }
  assert.is(barOf(single, 1_000_000, 0.003), 0.96)
})

test('a share below all that were measured allows nothing', () => {
  assert.is(bar(10, 0.0001), Number.POSITIVE_INFINITY)
  assert.is(bar(1_000_000, 0.0001), Number.POSITIVE_INFINITY)
})

test.run()
