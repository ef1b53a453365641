import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { probabilityOf } from '../../../plugins/models/pair/calibration.ts'
import { type Fit, fitProbability, type Labelled, logLoss } from '../../../scripts/pair/fit.ts'
import { seeded } from '../../bench/sentences.ts'

const random = seeded(7)
const drawn = (fit: Fit, count: number): Labelled[] =>
  Array.from({ length: count }, () => {
    const logit = 16 * random() - 8
    const likeness = { shared: random(), contained: random(), length: random() }
    return { logit, likeness, same: random() < probabilityOf(logit, likeness, fit) }
  })

test('finds the temperature, the shift and the weights of likeness that made the labels', () => {
  const made = { temperature: 2, shift: 1.5, likeness: { shared: 3, contained: 0, length: -2 } }
  const rows = drawn(made, 40_000)
  const found = fitProbability(rows)
  const values = ({ temperature, shift, likeness: l }: Fit) => [temperature, shift, l.shared, l.contained, l.length]
  for (const [i, value] of values(found).entries())
    assert.ok(Math.abs(value - (values(made)[i] ?? 0)) < 0.25, `${values(found)}`)
  assert.ok(logLoss(rows, found) <= logLoss(rows, made))
})

test('refuses a network that says the contrary of its labels', () => {
  const plain = { temperature: 1, shift: 0, likeness: { shared: 0, contained: 0, length: 0 } }
  const rows = drawn(plain, 1000).map(row => ({ ...row, same: !row.same }))
  assert.throws(() => fitProbability(rows), /contrary/)
})

test.run()
