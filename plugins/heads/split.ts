import { hash } from 'node:crypto'

/** One labelled text. */
export interface Example {
  readonly prompt: string
  /** Of the prompt, by the embedder that the classifier will be used with. */
  readonly vector: Float32Array
  /** By head. */
  readonly labels: Readonly<Record<string, string>>
}

/** Weights are learnt from `train`, temperatures from `calibration`, and figures come from `held_out` alone. */
export type Part = 'train' | 'calibration' | 'held_out'

const TRAIN = 0.7
const CALIBRATION = 0.15

/** The part that a prompt belongs to, by its hash: it stays there when the data grow. Spaces and case do not count. */
export function partOf(prompt: string, seed: number): Part {
  const text = prompt.toLowerCase().replace(/\s+/g, ' ').trim()
  const share = Number.parseInt(hash('sha256', `${seed}\n${text}`, 'hex').slice(0, 8), 16) / 2 ** 32
  if (share < TRAIN) return 'train'
  return share < TRAIN + CALIBRATION ? 'calibration' : 'held_out'
}
