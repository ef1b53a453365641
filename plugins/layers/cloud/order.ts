import type { Clock } from 'deflector'
import { type PriceOverride, pricing } from 'deflector/pricing'
import type { Candidate } from './candidate.ts'
import type { ProviderRecords } from './provider-records.ts'

export const ORDERS = ['listed', 'weighted', 'health', 'price'] as const

export interface OrderOptions {
  readonly order: (typeof ORDERS)[number]
  /** Share of each provider by name; 1 for one that is not named. One with 0 is asked after all others. */
  readonly weights: Readonly<Record<string, number>>
}

/** USD for a million tokens; `undefined` where no price is known. */
export type PriceOf = (candidate: Pick<Candidate, 'name' | 'model'>) => number | undefined

/** Tokens of a prompt for one of its answer, as in chats with some history. */
const PROMPT_SHARE = 3 / 4

/** Times are told apart in steps of this factor: smaller differences are chance, and keep the order of the list. */
const STEP = 1.25
/** A provider that fails always counts as so many times slower than it is. */
const WORST = 20

/** In which order the providers of a chain are asked. What a request chose itself stays first. */
export class Order {
  constructor(
    private readonly clock: Pick<Clock, 'random'>,
    private readonly options: OrderOptions,
    private readonly records: ProviderRecords,
    private readonly priceOf: PriceOf,
  ) {}

  of(candidates: readonly Candidate[], stream: boolean): readonly Candidate[] {
    if (candidates.length < 2 || this.options.order === 'listed') return candidates
    const chosen = candidates.filter(candidate => candidate.chosen)
    const others = candidates.filter(candidate => !candidate.chosen)
    return [...chosen, ...this.#ordered(others, stream)]
  }

  #ordered(candidates: readonly Candidate[], stream: boolean): readonly Candidate[] {
    switch (this.options.order) {
      case 'weighted':
        return this.#drawn(candidates)
      case 'health':
        return this.#byHealth(candidates, stream)
      case 'price':
        return sorted(candidates, candidate => this.priceOf(candidate) ?? Number.POSITIVE_INFINITY)
      default:
        return candidates
    }
  }

  /** Drawn one after the other, each by its share of what is left: so fallbacks have their shares, too. */
  #drawn(candidates: readonly Candidate[]): readonly Candidate[] {
    const left = candidates.map(candidate => ({ candidate, weight: this.options.weights[candidate.name] ?? 1 }))
    const drawn: Candidate[] = []
    while (left.length > 0) {
      const total = left.reduce((sum, { weight }) => sum + weight, 0)
      let rest = this.clock.random() * total
      const found = left.findIndex(({ weight }) => {
        rest -= weight
        return weight > 0 && rest < 0
      })
      drawn.push(...left.splice(Math.max(0, found), 1).map(({ candidate }) => candidate))
    }
    return drawn
  }

  /** By latency, multiplied for recent failures. One that is not known counts as the best, so that it becomes known. */
  #byHealth(candidates: readonly Candidate[], stream: boolean): readonly Candidate[] {
    const known = candidates.flatMap(({ name }) => this.records.latency(name, stream) ?? [])
    const best = known.length > 0 ? Math.min(...known) : 1
    return sorted(candidates, ({ name }) => {
      const latency = Math.max(1, this.records.latency(name, stream) ?? best)
      const slowed = latency * (1 + (WORST - 1) * this.records.failureShare(name))
      return Math.round(Math.log(slowed) / Math.log(STEP))
    })
  }
}

/** The least first; equals stay as they were. */
function sorted(candidates: readonly Candidate[], rank: (candidate: Candidate) => number): readonly Candidate[] {
  const ranked = candidates.map(candidate => ({ candidate, rank: rank(candidate) }))
  // Infinities have no difference.
  return ranked.sort((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank)).map(({ candidate }) => candidate)
}

/** One price for each provider and model, of prompt and answer by their usual shares. */
export function priceIn(
  overrides: Readonly<Record<string, PriceOverride>>,
  vendors: Readonly<Record<string, string>>,
): PriceOf {
  const prices = pricing(overrides)
  return ({ name, model }) => {
    const price = prices.priceOf({ instance: name, vendor: vendors[name], model })
    return price && price.input * PROMPT_SHARE + price.output * (1 - PROMPT_SHARE)
  }
}
