import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { artifactText, trainHeads } from 'deflector/heads'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { slmOptions } from '../../../../plugins/layers/slm/options.ts'
import { barFigures } from '../../../bench/local/tier-bars.ts'
import { TIERS, tiers } from '../../../bench/local/trained.ts'
import { root } from '../../../support/markdown.ts'

const shipped = await tiers()
const { confidence_threshold } = slmOptions.parse({})
const text = (file: string): string => readFileSync(join(root, file), 'utf8')
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

test('training makes the shipped classifier again, byte by byte', () => {
  const { artifact, examples } = shipped
  const made = trainHeads(examples, { seed: artifact.card.seed, embedder: artifact.embedder })
  assert.ok(artifactText(made) === text(TIERS), 'train it again: models/deflector-tiers/README.md says how')
})

test('the default bar keeps COMPLEX prompts below three of a hundred on the part that it was chosen on', () => {
  const { simple, right, wrong } = barFigures(shipped, 'calibration', confidence_threshold)
  assert.ok(wrong / (right + wrong) < 0.03, `${wrong} of ${right + wrong}`)
  assert.ok(right / simple > 0.6, `${right} of ${simple}`)
})

test('the card tells what the held-out part says', () => {
  const card = text('models/deflector-tiers/README.md').replace(/\s+/g, ' ')
  const { examples, held_out } = shipped.artifact.card
  const { accuracy = 0, calibration_error = 1 } = held_out.tier ?? {}
  assert.ok(accuracy > 0.85 && calibration_error < 0.05)
  const all = shipped.examples.length.toLocaleString('en')
  const split = `${examples.train.toLocaleString('en')} for the weights, ${examples.calibration} for the temperature and the bar`
  assert.ok(card.includes(`The ${all} prompts are split by a hash: ${split}, ${examples.held_out} held out`), split)
  const figures = `${percent(accuracy)} have the right tier, and the confidence is off by ${percent(calibration_error)}`
  assert.ok(card.includes(figures), figures)
  const row = (['calibration', 'held_out'] as const).flatMap(part => {
    const { simple, right, wrong } = barFigures(shipped, part, confidence_threshold)
    return [percent(right / simple), percent(wrong / (right + wrong))]
  })
  assert.ok(card.includes(`| ${[confidence_threshold, ...row].join(' | ')} |`), row.join(', '))
})

test('no prompt has two tiers', () => {
  const seen = new Map<string, string | undefined>()
  for (const { prompt, labels } of shipped.examples) {
    const key = prompt.toLowerCase().replace(/\s+/g, ' ').trim()
    assert.not.ok(seen.has(key), `twice: ${prompt}`)
    seen.set(key, labels.tier)
  }
})

test.run()
