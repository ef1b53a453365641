import type { Figures } from './artifact.ts'
import type { Heads } from './heads.ts'
import type { Example } from './split.ts'

/** A true label, the given one, and how sure the head was. */
interface Judgement {
  readonly truth: string
  readonly label: string
  readonly confidence: number
}

const BINS = 10

/** What each head makes of examples. Throws an `Error` where an example lacks the label of a head. */
export function figuresOf(heads: Heads, examples: readonly Example[]): Record<string, Figures> {
  const all = examples.map(({ prompt, vector, labels }) => ({ labels, said: heads.classify(vector, prompt).heads }))
  return Object.fromEntries(
    Object.entries(heads.labels).map(([head, labels]) => [
      head,
      judged(
        labels,
        all.map(({ labels: { [head]: truth }, said: { [head]: result } }) => {
          if (truth === undefined) throw new Error(`an example has no "${head}"`)
          return { truth, label: result?.label ?? '', confidence: result?.confidence ?? 0 }
        }),
      ),
    ]),
  )
}

/** How many examples have at least a confidence, and how many of those have the right labels of the heads in `wanted`. */
export function routedOf(
  heads: Heads,
  examples: readonly Example[],
  { threshold, wanted }: { readonly threshold: number; readonly wanted: readonly string[] },
): { routed: number; right: number } {
  const routed = examples
    .map(({ prompt, vector, labels }) => ({ labels, ...heads.classify(vector, prompt) }))
    .filter(({ overallConfidence }) => overallConfidence >= threshold)
  const right = routed.filter(({ labels, heads: said }) => wanted.every(head => said[head]?.label === labels[head]))
  return { routed: routed.length, right: right.length }
}

function judged(labels: readonly string[], all: readonly Judgement[]): Figures {
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
