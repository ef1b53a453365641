import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { fitProbability, fitScreen, type Labelled, logLoss, probability } from '../../../scripts/pair/fit.ts'
import { seeded } from '../../bench/sentences.ts'

const random = seeded(7)
const drawn = (calibration: { temperature: number; shift: number }, count: number): Labelled[] =>
  Array.from({ length: count }, () => {
    const logit = 16 * random() - 8
    return { logit, same: random() < probability(logit, calibration) }
  })

test('finds the temperature and the shift that made the labels', () => {
  const made = { temperature: 2, shift: 1.5 }
  const rows = drawn(made, 40_000)
  const found = fitProbability(rows)
  assert.ok(Math.abs(found.temperature - made.temperature) < 0.1, `temperature ${found.temperature}`)
  assert.ok(Math.abs(found.shift - made.shift) < 0.1, `shift ${found.shift}`)
  assert.ok(logLoss(rows, found) <= logLoss(rows, made))
})

test('refuses a network that says the contrary of its labels', () => {
  const rows = drawn({ temperature: 1, shift: 0 }, 1000).map(({ logit, same }) => ({ logit, same: !same }))
  assert.throws(() => fitProbability(rows), /contrary/)
})

test('a screen loses no more right hits than it may, and spares the network what it can', () => {
  const hits = Array.from({ length: 100 }, (_, i) => ({
    likeness: { shared: i === 0 ? 0.1 : 0.6, contained: 1, length: 1 },
    request: i,
    hit: true,
    missed: false,
  }))
  const others = Array.from({ length: 50 }, (_, i) => ({
    likeness: { shared: i < 40 ? 0.3 : 0.9, contained: 1, length: 1 },
    request: 100 + i,
    hit: false,
    missed: true,
  }))
  const strict = fitScreen([...hits, ...others], 0)
  assert.equal([strict.lostHits, strict.missesJudged], [0, 50])
  const lenient = fitScreen([...hits, ...others], 0.01)
  assert.equal([lenient.lostHits, lenient.missesJudged], [1, 10])
})

test.run()
