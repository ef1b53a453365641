import { artifactText, type Example, Heads, partOf, readArtifact, trainHeads } from 'deflector/heads'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { shapeOf } from '../../../plugins/heads/shape.ts'

const OPTIONS = { seed: 7, embedder: 'e' }

/** The vector says the colour, the words and the shape say the size. */
function example(number: number): Example {
  const red = number % 2 === 0
  const large = number % 3 === 0
  const angle = ((number * 37) % 100) / 250
  const vector = Float32Array.from(red ? [Math.cos(angle), Math.sin(angle)] : [Math.sin(angle), Math.cos(angle)])
  const prompt = large ? `build number ${number}\n- walls\n- a roof\n- a door` : `draw number ${number}`
  return { prompt, vector, labels: { colour: red ? 'red' : 'blue', size: large ? 'large' : 'small' } }
}

const examples = Array.from({ length: 240 }, (_, number) => example(number))
const artifact = trainHeads(examples, OPTIONS)

test('heads learn from the vector, the words and the shape of a text', () => {
  const heads = new Heads(artifact)
  const { heads: results, overallConfidence } = heads.classify(Float32Array.from([1, 0]), 'build it\n- a\n- b\n- c')
  assert.equal([results.colour?.label, results.size?.label], ['red', 'large'])
  assert.ok(overallConfidence > 0.5 && overallConfidence <= 1)
  for (const { label, confidence, probabilities } of Object.values(results)) {
    assert.is(probabilities[label], confidence)
    assert.ok(Math.abs(Object.values(probabilities).reduce((a, b) => a + b) - 1) < 1e-9)
  }
  assert.equal(heads.labels, { colour: ['blue', 'red'], size: ['large', 'small'] })
})

test('the same examples and seed make the same bytes, in any order of the parts that do not count', () => {
  assert.is(artifactText(trainHeads(examples, OPTIONS)), artifactText(artifact))
  assert.is.not(artifactText(trainHeads(examples, { ...OPTIONS, seed: 8 })), artifactText(artifact))
})

test('the card has figures of the held-out part alone', () => {
  const { seed, examples: counts, held_out } = artifact.card
  assert.is(seed, 7)
  const held = examples.filter(({ prompt }) => partOf(prompt, 7) === 'held_out')
  assert.is(counts.held_out, held.length)
  assert.is(counts.train + counts.calibration + counts.held_out, examples.length)
  assert.is(held_out.colour?.accuracy, 1)
  const red = held.filter(({ labels }) => labels.colour === 'red').length
  assert.equal(held_out.colour?.confusion, [
    [held.length - red, 0],
    [0, red],
  ])
})

test('labels of the held-out part change no weight, and those of the calibration part only temperatures', () => {
  const swapped = (part: string): typeof artifact =>
    trainHeads(
      examples.map(one =>
        partOf(one.prompt, 7) === part
          ? { ...one, labels: { ...one.labels, colour: one.labels.colour === 'red' ? 'blue' : 'red' } }
          : one,
      ),
      OPTIONS,
    )
  assert.equal(swapped('held_out').heads, artifact.heads)
  const { temperature, ...rest } = swapped('calibration').heads.colour ?? { temperature: 0 }
  const { temperature: before, ...same } = artifact.heads.colour ?? { temperature: 0 }
  assert.equal(rest, same)
  assert.ok(temperature > before, 'a head that errs becomes less sure')
})

test('the overall confidence is the mean of the heads at the overall temperature', () => {
  const at = (overall_temperature: number) => {
    const { heads, overallConfidence } = new Heads({ ...artifact, overall_temperature }).classify(
      Float32Array.from([0.8, 0.6]),
      'draw it',
    )
    const confidences = Object.values(heads).map(({ confidence }) => confidence)
    return { overallConfidence, mean: confidences.reduce((a, b) => a + b) / confidences.length }
  }
  const plain = at(1)
  assert.ok(Math.abs(plain.overallConfidence - plain.mean) < 1e-12)
  assert.ok(at(50).overallConfidence < plain.overallConfidence)
  assert.is(at(50).mean, plain.mean)
})

test('a prompt keeps its part when spaces and case change', () => {
  for (const { prompt } of examples) assert.is(partOf(` ${prompt.toUpperCase()}\n`, 7), partOf(prompt, 7))
})

test('an artifact comes back from its text', () => {
  assert.equal(readArtifact(artifactText(artifact)), artifact)
})

test('a broken artifact is refused with the field at fault', () => {
  const broken = (change: object): string => JSON.stringify({ ...artifact, ...change })
  assert.throws(() => readArtifact('{'), /it is not JSON/)
  assert.throws(() => readArtifact(broken({ version: 2 })), /^version: /)
  assert.throws(() => readArtifact(broken({ dimensions: 3 })), /heads\.colour\.weights: each row needs \d+ numbers/)
  const half = { ...artifact.heads.colour, weights: [[0.5], [1]] }
  assert.throws(() => readArtifact(broken({ heads: { half } })), /heads\.half\.weights: needs rows of whole numbers/)
  assert.throws(() => readArtifact(broken({ words: ['a', ''] })), /words: needs words, none of them empty/)
  const colour = { ...artifact.heads.colour, biases: [0] }
  assert.throws(() => readArtifact(broken({ heads: { colour } })), /heads\.colour: needs a row of weights and a bias/)
})

test('training says which examples are missing', () => {
  assert.throws(() => trainHeads([], OPTIONS), /there are no examples/)
  assert.throws(() => trainHeads(examples.slice(0, 1), OPTIONS), /no example falls into the part/)
  const alike = examples.map(one => ({ ...one, labels: { colour: 'red' } }))
  assert.throws(() => trainHeads(alike, OPTIONS), /"colour" has one label only, "red"/)
})

test('each path that names a file counts once, wherever its ending stands', () => {
  const files = (text: string): number => Math.round(Math.expm1(shapeOf(text, ['files'])[0] ?? 0))
  assert.is(files('Move src/a.ts and ../b.test.js-old to lib/c.py, d.json.'), 4)
  assert.is(files('.env and a.unknown, v1.2, https and /.ts'), 0)
})

test('a vector of another embedder is refused', () => {
  assert.throws(() => new Heads(artifact).classify(new Float32Array(3), 'x'), /a vector has 3 dimensions, not 2/)
})

test.run()
