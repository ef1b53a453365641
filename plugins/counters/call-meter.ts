import { type Attempt, type AttemptOutcome, CHAT, type Exchange, isProviderError, type Usage } from 'deflector'
import { COMPLETIONS } from 'deflector/formats/completions'
import { EMBEDDINGS } from 'deflector/formats/embeddings'
import { COUNT_TOKENS } from 'deflector/formats/token-count'
import { costOf, type Pricing } from 'deflector/pricing'
import type { Amounts } from './limit.ts'
import type { TypicalAnswers } from './typical-answers.ts'

/** What a call reserves: `max` is the client's cap on the answer, `typical` no more than an answer usually has. */
export type ReserveMode = 'max' | 'typical'

/** What one call may take, before it is made. */
export interface Expected {
  readonly usage: Pick<Usage, 'input' | 'output'>
  readonly amounts: Amounts
}

export interface MeterOptions {
  readonly pricing: Pricing
  /** Vendor of each provider, by instance name. */
  readonly vendors: Readonly<Record<string, string>>
  readonly reserve: ReserveMode
  readonly typical: TypicalAnswers
  /** Told of each call that has no price. */
  readonly unpriced: (provider: string, model: string | undefined) => unknown
}

/** Methods of a vendor's other endpoints that only look, or take away. */
const FREE_METHODS = new Set(['GET', 'HEAD', 'DELETE'])

/** Operations of which an estimate of the tokens means something. */
const COUNTED = new Set([CHAT, COMPLETIONS, EMBEDDINGS])

/** Says what calls may take, and what they took. */
export class CallMeter {
  constructor(private readonly options: MeterOptions) {}

  /** `undefined` for what no vendor bills: counts of tokens, looks at what a vendor holds. */
  expected(exchange: Exchange, attempt: Attempt): Expected | undefined {
    const { operation } = attempt
    if (operation === COUNT_TOKENS) return undefined
    if (!COUNTED.has(operation)) {
      if (FREE_METHODS.has(exchange.call?.method ?? '')) return undefined
      // Files, images and sound: nobody knows their tokens before. A single one is refused where nothing is left.
      return { usage: { input: 1, output: 0 }, amounts: { tokens: 1, usd: LEAST_USD } }
    }
    const { input, output: cap } = attempt.estimate
    const typical = this.options.typical.of(attempt.provider, attempt.model)
    const most = this.options.reserve === 'typical' ? Math.min(cap ?? typical, typical) : (cap ?? typical)
    const usage = { input, output: operation === EMBEDDINGS ? 0 : most }
    return { usage, amounts: this.#amounts(attempt, usage) }
  }

  /** What was used: as the vendor told, and where it did not, as far as can be known. */
  used(attempt: Attempt, expected: Expected, outcome: AttemptOutcome): Amounts {
    const { usage } = outcome
    if (outcome.outcome === 'answered') {
      if (usage && attempt.operation === CHAT) this.options.typical.learn(attempt.provider, attempt.model, usage.output)
      if (usage) return this.#amounts(attempt, usage)
      return COUNTED.has(attempt.operation) ? this.#amounts(attempt, this.#likely(attempt, expected)) : NOTHING
    }
    const progress = progressOf(outcome)
    if (progress === 'nothing' && !usage) return NOTHING
    // A vendor bills what it wrote before the line broke, and mostly tells it at the end only.
    const likely = this.#likely(attempt, expected)
    const output = progress === 'content' ? Math.max(usage?.output ?? 0, likely.output) : (usage?.output ?? 0)
    return this.#amounts(attempt, { ...usage, input: usage?.input ?? likely.input, output })
  }

  #likely({ provider, model }: Attempt, { usage }: Expected): Pick<Usage, 'input' | 'output'> {
    return { input: usage.input, output: Math.min(usage.output, this.options.typical.of(provider, model)) }
  }

  #amounts({ provider, model }: Attempt, usage: Usage): Amounts {
    const price = this.options.pricing.priceOf({ instance: provider, vendor: this.options.vendors[provider], model })
    if (!price) this.options.unpriced(provider, model)
    return { tokens: usage.input + usage.output, usd: costOf(usage, price) ?? 0 }
  }
}

const NOTHING: Amounts = { tokens: 0, usd: 0 }
/** The least that a counter holds. */
const LEAST_USD = 1e-9

/** How far a call came that was not answered: a vendor has its prompt, or has begun to write. */
function progressOf({ outcome, status, firstTokenMs, error }: AttemptOutcome): 'nothing' | 'prompt' | 'content' {
  if (firstTokenMs !== undefined) return 'content'
  if (status !== undefined) return 'nothing'
  const isTimeout = isProviderError(error) && error.reason === 'timeout'
  return outcome === 'cancelled' || isTimeout ? 'prompt' : 'nothing'
}
