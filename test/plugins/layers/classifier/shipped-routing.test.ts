import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { classifierOptions } from '../../../../plugins/layers/classifier/options.ts'
import { heldOutFigures, routedFigures } from '../../../bench/local/classifiers.ts'
import { percent } from '../../../bench/local/section.ts'
import { routing } from '../../../bench/local/trained.ts'
import { root } from '../../../support/markdown.ts'

const shipped = await routing()
const card = readFileSync(join(root, 'models/deflector-routing/README.md'), 'utf8').replace(/\s+/g, ' ')

test('the card tells what the heads make of the held-out part now', () => {
  for (const [head, { accuracy, calibration_error }] of Object.entries(heldOutFigures(shipped))) {
    const row = `| ${[head.replace('_', ' '), percent(accuracy, 1), percent(calibration_error, 1)].join(' | ')} |`
    assert.ok(card.includes(row), row)
  }
  const { confidence_threshold } = classifierOptions.parse({})
  const { all, routed, right } = routedFigures(shipped, confidence_threshold)
  assert.ok(card.includes(`${percent(routed, all)} would be routed; of these, ${percent(right, routed)} are right`))
})

test('the figures are measured, whatever the file says of itself', () => {
  const { artifact } = shipped
  const none = { accuracy: 0, calibration_error: 1, confusion: [] }
  const lying = { ...artifact, card: { ...artifact.card, held_out: { complexity: none } } }
  assert.equal(heldOutFigures({ ...shipped, artifact: lying }), heldOutFigures(shipped))
})

test.run()
