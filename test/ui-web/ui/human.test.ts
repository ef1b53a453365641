import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { barTimes } from '../../../ui-web/src/ui/chart-times.ts'
import { bytes, duration, milliseconds, usd } from '../../../ui-web/src/ui/human.ts'
import { labelOf, layerName } from '../../../ui-web/src/ui/layers.ts'

test('times and sizes have the unit that fits', () => {
  assert.equal([0.04, 9.96, 840, 2400, 180_000].map(milliseconds), ['0 ms', '10 ms', '840 ms', '2.4 s', '3 min'])
  assert.equal([0, 512, 1536, 150 * 2 ** 20, 3 * 2 ** 30].map(bytes), ['0 B', '512 B', '1.5 KB', '150 MB', '3.0 GB'])
  assert.equal([12, 700, 7260, 273_600].map(duration), ['12 s', '11 min', '2 h 1 min', '3 d 4 h'])
  assert.is(milliseconds(null), '–')
})

test('amounts below a cent keep two digits that count, and an unknown one is no zero', () => {
  const digits = (amount: number): string =>
    usd(amount)
      .replace(/[^\d.,]/g, '')
      .replace(',', '.')
  assert.equal([0, 4.314, 0.0856, 0.00036].map(digits), ['0.00', '4.31', '0.086', '0.00036'])
  assert.is(usd(null), 'unknown')
})

test('a layer is known by each of its names', () => {
  assert.equal(['l1a', 'L1a_ExactCache', 'L2_SLM', 'L2_5_ContextOptimiser', 'L3_Cloud', 'other'].map(labelOf), [
    'l1a',
    'l1a',
    'l2',
    'l2_5',
    'l3',
    'other',
  ])
  assert.equal(['L1b_SemanticCache', 'FAQ'].map(layerName), ['Semantic cache', 'FAQ'])
})

test('the bars of a window begin at multiples of their hours, and the last one is of now', () => {
  const now = Date.UTC(2026, 10, 22, 10, 30)
  const hours = barTimes(24, 6, now).map(seconds => new Date(seconds * 1000).toISOString().slice(8, 13))
  assert.equal(hours, ['21T06', '21T12', '21T18', '22T00', '22T06'])
})

test.run()
