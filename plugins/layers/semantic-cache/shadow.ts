/** Samples that are remembered. */
const REMEMBERED = 2000
/** A bound from fewer samples would close the cache without reason. */
const ENOUGH = 30
/** 95 %, one-sided. */
const Z = 1.645
/** From a mistake to the lowest bar that it does not pass. */
const JUST_ABOVE = 1e-6

interface Sample {
  readonly probability: number
  readonly agrees: boolean
}

/**
 * Compares new answers with the cached ones and estimates the error. Where its upper confidence bound exceeds the limit,
 * the bar rises until it does not.
 */
export class ShadowChecks {
  readonly #samples: Sample[] = []
  readonly #maxError: number
  #raised = 0

  constructor(maxError: number) {
    this.#maxError = maxError
  }

  /** The bar, given the one that the judge asks for: that changes with the number of entries. */
  bar(base: number): number {
    return Math.max(base, this.#raised)
  }

  record(base: number, probability: number, agrees: boolean): void {
    this.#samples.push({ probability, agrees })
    if (this.#samples.length > REMEMBERED) this.#samples.shift()
    this.#raised = this.#least(base)
  }

  /** The lowest bar above which the samples stay within the error limit; 0 where the base does. */
  #least(base: number): number {
    const above = this.#samples.filter(({ probability }) => probability >= base)
    if (above.length < ENOUGH) return this.#raised
    above.sort((a, b) => b.probability - a.probability)
    // Downwards, so that what lies above each bar need not be counted anew.
    let least = Number.POSITIVE_INFINITY
    let [count, wrong] = [0, 0]
    const lowerTo = (bar: number): void => {
      for (; count < above.length; count++) {
        const sample = above[count]
        if (!sample || sample.probability < bar) break
        if (!sample.agrees) wrong++
      }
      if (wrong === 0 || upperBound(wrong, count) <= this.#maxError) least = bar
    }
    for (const { probability, agrees } of above) if (!agrees) lowerTo(probability + JUST_ABOVE)
    lowerTo(0)
    return least
  }
}

/** Wilson's upper bound of a share. */
export function upperBound(part: number, whole: number): number {
  if (whole === 0) return 1
  const share = part / whole
  const z2 = Z * Z
  const middle = share + z2 / (2 * whole)
  const spread = Z * Math.sqrt((share * (1 - share)) / whole + z2 / (4 * whole * whole))
  return (middle + spread) / (1 + z2 / whole)
}
