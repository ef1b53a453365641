import type { Figures } from './artifact.ts'

/** A true label, the given one, and how sure the head was. */
export interface Judgement {
  readonly truth: string
  readonly label: string
  readonly confidence: number
}

const BINS = 10

/** What a head made of examples. */
export function judged(labels: readonly string[], all: readonly Judgement[]): Figures {
  const right = all.filter(({ truth, label }) => truth === label).length
  return {
    accuracy: all.length === 0 ? 0 : right / all.length,
    calibration_error: calibrationError(all),
    confusion: confusionOf(labels, all),
  }
}

const confusionOf = (labels: readonly string[], all: readonly Judgement[]): number[][] =>
  labels.map(truth => labels.map(label => all.filter(one => one.truth === truth && one.label === label).length))

function calibrationError(all: readonly Judgement[]): number {
  const bins = Array.from({ length: BINS }, () => ({ sure: 0, right: 0 }))
  for (const { truth, label, confidence } of all) {
    const bin = bins[Math.min(BINS - 1, Math.floor(confidence * BINS))]
    if (!bin) continue
    bin.sure += confidence
    bin.right += truth === label ? 1 : 0
  }
  const apart = bins.reduce((sum, { sure, right }) => sum + Math.abs(sure - right), 0)
  return all.length === 0 ? 0 : apart / all.length
}
