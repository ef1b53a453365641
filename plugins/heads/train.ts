import { type Artifact, artifactSchema, THOUSANDTH } from './artifact.ts'
import { figuresOf } from './figures.ts'
import { Heads } from './heads.ts'
import { type Input, inputsOf, type Layout, scores } from './inputs.ts'
import { fit } from './regression.ts'
import { SHAPES, shapeOf, wordsOf } from './shape.ts'
import { type Example, type Part, partOf } from './split.ts'
import { headTemperature, overallTemperature } from './temperature.ts'

export interface TrainOptions {
  /** Chooses who is held out; nothing else is left to chance. */
  readonly seed: number
  /** Fingerprint of the embedder that made the vectors. */
  readonly embedder: string
  /** How much large weights cost. */
  readonly l2?: number
  /** Training examples that a word must stand in to become a feature. */
  readonly leastWords?: number
}

const L2 = 0.005
const LEAST_WORDS = 3
/** Digits of a weight behind the point. */
const DIGITS = 4

/**
 * Trains a head for each label that the examples have; all examples have the same ones. Throws an `Error` where a part
 * is empty or a head has fewer than two labels.
 */
export function trainHeads(
  examples: readonly Example[],
  { seed, embedder, l2 = L2, leastWords = LEAST_WORDS }: TrainOptions,
): Artifact {
  const [first] = examples
  if (!first) throw new Error('there are no examples')
  const part = (name: Part): readonly Example[] => {
    const found = examples.filter(({ prompt }) => partOf(prompt, seed) === name)
    if (found.length === 0) throw new Error(`no example falls into the part "${name}"; ${examples.length} are too few`)
    return found
  }
  const [train, calibration, heldOut] = [part('train'), part('calibration'), part('held_out')]
  const layout = layoutOf(train, first.vector.length, leastWords)
  const input = inputsOf(layout)
  const inputs = (of: readonly Example[]): Input[] => of.map(({ vector, prompt }) => input(vector, prompt))
  const [trainInputs, calibrationInputs] = [inputs(train), inputs(calibration)]

  const trained = Object.keys(first.labels).map(name => {
    const labels = [...new Set(examples.map(example => labelOf(example, name)))].sort()
    if (labels.length < 2) throw new Error(`"${name}" has one label only, "${labels[0]}"`)
    const truthsOf = (of: readonly Example[]): number[] => of.map(example => labels.indexOf(labelOf(example, name)))
    const columns = layout.dimensions + layout.shape.length + layout.words.length
    const { weights, biases } = fit({ inputs: trainInputs, truths: truthsOf(train) }, labels.length, columns, l2)
    const scored = {
      scores: calibrationInputs.map(one => scores(weights, biases, one)),
      truths: truthsOf(calibration),
    }
    return { name, labels, weights, biases, ...scored, temperature: headTemperature(scored) }
  })
  const heads = Object.fromEntries(
    trained.map(({ name, labels, weights, biases, temperature }) => [
      name,
      {
        labels,
        weights: weights.map(row => Array.from(row, weight => Math.round(weight / THOUSANDTH) || 0)),
        biases: Array.from(biases, rounded),
        temperature: rounded(temperature),
      },
    ]),
  )
  const overall_temperature = rounded(overallTemperature(trained))
  const card = {
    seed,
    l2,
    examples: { train: train.length, calibration: calibration.length, held_out: heldOut.length },
    held_out: heldOutFigures(new Heads({ ...layout, overall_temperature, heads }), heldOut),
  }
  return artifactSchema.parse({ version: 1, embedder, ...layout, overall_temperature, heads, card })
}

function labelOf({ labels }: Example, name: string): string {
  const label = labels[name]
  if (label === undefined) throw new Error(`an example has no "${name}"`)
  return label
}

/** Means and words come from the training part alone. */
function layoutOf(train: readonly Example[], dimensions: number, leastWords: number): Layout {
  const shapes = train.map(({ prompt }) => shapeOf(prompt, SHAPES))
  const shape = SHAPES.map((name, at) => {
    const values = shapes.map(row => row[at] ?? 0)
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
    return { name, mean: rounded(mean), scale: rounded(Math.sqrt(variance)) || 1 }
  })
  const counts = new Map<string, number>()
  for (const { prompt } of train) for (const word of wordsOf(prompt)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const words = [...counts].flatMap(([word, count]) => (count >= leastWords ? [word] : [])).sort()
  return { dimensions, shape, words }
}

/** As the artifact keeps them. */
function heldOutFigures(heads: Heads, examples: readonly Example[]): Artifact['card']['held_out'] {
  const figures = Object.entries(figuresOf(heads, examples))
  return Object.fromEntries(
    figures.map(([head, { accuracy, calibration_error, confusion }]) => [
      head,
      { accuracy: rounded(accuracy), calibration_error: rounded(calibration_error), confusion },
    ]),
  )
}

const rounded = (value: number): number => Number(value.toFixed(DIGITS))
