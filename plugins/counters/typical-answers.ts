/** Tokens that an answer is taken to have before any of its provider and model was seen. */
const TYPICAL_ANSWER = 1024

/** Weight of each new answer in the mean. */
const WEIGHT = 1 / 16
/** Clients may name any model. */
const MOST_MODELS = 1000

/**
 * How long answers usually are, in tokens: the exponentially weighted mean of those seen, by provider and model, which
 * begins at `TYPICAL_ANSWER`.
 */
export class TypicalAnswers {
  readonly #means = new Map<string, number>()

  of(provider: string, model: string | undefined): number {
    return Math.ceil(this.#means.get(keyOf(provider, model)) ?? TYPICAL_ANSWER)
  }

  learn(provider: string, model: string | undefined, tokens: number): void {
    const key = keyOf(provider, model)
    const mean = this.#means.get(key) ?? TYPICAL_ANSWER
    if (!this.#means.has(key) && this.#means.size >= MOST_MODELS) this.#means.clear()
    this.#means.set(key, mean + (tokens - mean) * WEIGHT)
  }

  get size(): number {
    return this.#means.size
  }
}

const keyOf = (provider: string, model = ''): string => `${provider} ${model}`
