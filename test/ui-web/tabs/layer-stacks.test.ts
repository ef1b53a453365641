import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { layerStacks, shares } from '../../../ui-web/src/tabs/overview/layer-stacks.ts'

const TIMES = [0, 3600, 7200]
const point = (hour: number, name: string, requests_total: number, failed_total = 0) => ({
  start: new Date(hour * 3_600_000).toISOString(),
  name,
  requests_total,
  deflected_total: 0,
  failed_total,
  total_tokens: 0,
  saved_tokens: 0,
  estimated_cost_usd: null,
  estimated_saved_cost_usd: null,
})
const POINTS = [
  point(0, 'L3_Cloud', 1),
  point(2, 'L3_Cloud', 1),
  point(2, 'L1a_ExactCache', 3),
  point(9, 'L3_Cloud', 5),
]

test('what is answered without a vendor lies at the bottom, and bars without requests are empty', () => {
  assert.equal(
    layerStacks(POINTS, TIMES).map(({ name, values }) => [name, values]),
    [
      ['Exact cache', [0, 0, 3]],
      ['Cloud', [1, 0, 1]],
    ],
  )
})

test("what failed is nobody's answer, and stands with what was refused", () => {
  const points = [point(0, 'L3_Cloud', 5, 2), point(0, 'l0', 3, 3), point(2, 'L1a_ExactCache', 1)]
  assert.equal(
    layerStacks(points, TIMES).map(({ name, values }) => [name, values]),
    [
      ['Exact cache', [0, 0, 1]],
      ['Cloud', [3, 0, 0]],
      ['Refused or failed', [5, 0, 0]],
    ],
  )
})

test('a count of tokens is answered before any layer, and not refused', () => {
  assert.equal(
    layerStacks([point(0, 'l0', 5, 3)], TIMES).map(({ name, values }) => [name, values]),
    [
      ['Answered here', [2, 0, 0]],
      ['Refused or failed', [3, 0, 0]],
    ],
  )
})

test('shares of a bar add up to one, and to nothing where there was nothing', () => {
  assert.equal(
    shares(layerStacks(POINTS, TIMES)).map(({ values }) => values),
    [
      [0, 0, 0.75],
      [1, 0, 0.25],
    ],
  )
})

test.run()
