import { z } from 'zod'
import { SHAPES } from './shape.ts'

/** Weights are whole numbers of this size, which take half the room. */
export const THOUSANDTH = 0.001

const finite = z.number()
const matrix = z.array(z.array(finite))

/** Loops of our own: a schema of each number takes fifty times as long, and a file has tens of thousands of them. */
const weights = z.custom<number[][]>(
  value => Array.isArray(value) && value.every(row => Array.isArray(row) && row.every(Number.isSafeInteger)),
  'needs rows of whole numbers',
)
const words = z.custom<string[]>(
  value => Array.isArray(value) && value.every(word => typeof word === 'string' && word !== ''),
  'needs words, none of them empty',
)

const head = z
  .strictObject({
    labels: z.array(z.string().min(1)).min(2),
    /** A row for each label, in thousandths; its columns are the vector, the shape, the words. */
    weights,
    biases: z.array(finite),
    /** What scores are divided by before the softmax: above 1 where the scores were too sure. */
    temperature: z.number().positive(),
  })
  .refine(({ labels, weights, biases }) => weights.length === labels.length && biases.length === labels.length, {
    message: 'needs a row of weights and a bias for each label',
  })
  .refine(({ labels }) => new Set(labels).size === labels.length, { message: 'has a label twice' })

const figures = z.strictObject({
  accuracy: finite,
  /** Expected calibration error: how far confidence and accuracy are apart, over ten bins. */
  calibration_error: finite,
  /** Rows are true labels, columns given ones, both in the order of `labels`. */
  confusion: matrix,
})

/** What the held-out part says of one head. */
export type Figures = z.infer<typeof figures>

/** A trained classifier, as its file holds it. */
export const artifactSchema = z
  .strictObject({
    version: z.literal(1),
    /** Fingerprint of the embedder whose vectors it was trained with. */
    embedder: z.string().min(1),
    dimensions: z.int().positive(),
    /** Structural features behind the vector, brought to mean 0 and deviation 1. */
    shape: z.array(z.strictObject({ name: z.enum(SHAPES), mean: finite, scale: z.number().positive() })),
    /** Words whose presence is a feature, behind the shape; `^word` is one that begins the text. */
    words,
    /** Multiplies each head's temperature for the overall confidence. */
    overall_temperature: z.number().positive(),
    heads: z.record(z.string().min(1), head).refine(heads => Object.keys(heads).length > 0, 'has no head'),
    card: z.strictObject({
      seed: z.int(),
      l2: finite,
      examples: z.strictObject({ train: z.int(), calibration: z.int(), held_out: z.int() }),
      /** By head. */
      held_out: z.record(z.string(), figures),
    }),
  })
  .superRefine(({ dimensions, shape, words, heads }, context) => {
    const columns = dimensions + shape.length + words.length
    for (const [name, { weights }] of Object.entries(heads)) {
      if (weights.every(row => row.length === columns)) continue
      const message = `each row needs ${columns} numbers: dimensions, shape and words`
      context.addIssue({ code: 'custom', path: ['heads', name, 'weights'], message })
    }
  })

export type Artifact = z.infer<typeof artifactSchema>

/** Reads an artifact's text. Throws an `Error` that names the field at fault. */
export function readArtifact(text: string): Artifact {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new Error('it is not JSON')
  }
  return checkedArtifact(json)
}

/** The same for JSON that is parsed already. */
export function checkedArtifact(json: unknown): Artifact {
  const { success, data, error } = artifactSchema.safeParse(json)
  if (success) return data
  const [issue] = error.issues
  throw new Error(`${issue?.path.join('.') || 'the file'}: ${issue?.message}`)
}

/** The file of an artifact: a line for each row of weights. */
export const artifactText = (artifact: Artifact): string =>
  `${JSON.stringify(artifact, undefined, 1).replace(/\[[^[\]{}]*\]/g, list => list.replace(/\n\s*/g, ''))}\n`
