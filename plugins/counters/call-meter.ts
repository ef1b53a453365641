import { type Attempt, type AttemptOutcome, CHAT, type Exchange, isHuge, type Usage } from 'deflector'
import type { EndedWork } from 'deflector/formats/background-work'
import { callUsage, isText, MOST_TOKENS, tokensOf } from 'deflector/formats/call-usage'
import { EMBEDDINGS } from 'deflector/formats/embeddings'
import { COUNT_TOKENS } from 'deflector/formats/token-count'
import { textLength } from 'deflector/formats/whole-text'
import {
  type Circumstances,
  circumstancesOf,
  costOf,
  isMarkedForCache,
  type Price,
  type Pricing,
} from 'deflector/pricing'
import type { Amounts } from './limit.ts'
import type { TypicalAnswers } from './typical-answers.ts'

/** What a call reserves: `max` is the client's cap on the answer, `typical` no more than an answer usually has. */
export type ReserveMode = 'max' | 'typical'

/** What one call may take, before it is made. */
export interface Expected {
  readonly usage: Pick<Usage, 'input' | 'output'>
  readonly price: Price | undefined
  readonly amounts: Amounts
  /** What it would take with a short answer, where its client can ask for a shorter one. */
  readonly least?: Amounts | undefined
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

/** Methods of a vendor's other endpoints that only look, or take away. So do all calls of a dialect without bodies. */
const FREE_METHODS = new Set(['GET', 'HEAD', 'DELETE'])

/** Says what calls may take, and what they took. */
export class CallMeter {
  constructor(private readonly options: MeterOptions) {}

  /** `undefined` for what no vendor bills: counts of tokens, looks at what a vendor holds. */
  async expected(exchange: Exchange, attempt: Attempt): Promise<Expected | undefined> {
    const { operation } = attempt
    if (operation === COUNT_TOKENS) return undefined
    const price = this.#price(exchange, attempt)
    if (!isText(operation)) {
      if (exchange.outgoing.dialect.bodiless || FREE_METHODS.has(exchange.call?.method ?? '')) return undefined
      // Files, images and sound: nobody knows their tokens before. A single one is refused where nothing is left.
      const usage = { input: 1, output: 0 }
      const { tokens, usd } = amountsOf(usage, price)
      return { usage, price, amounts: { tokens, usd: Math.max(LEAST_USD, usd) } }
    }
    const { outgoing } = exchange
    // What cannot be decoded may still pass to a vendor of its own dialect.
    if (operation === CHAT && isHuge(outgoing.body)) await outgoing.chatInTurns().catch(() => {})
    const { input, output: cap, answers } = attempt.estimate
    const typical = answers * this.options.typical.of(attempt.provider, attempt.model)
    const asked = this.options.reserve === 'typical' ? Math.min(cap ?? typical, typical) : (cap ?? typical)
    const most = Math.min(asked, MOST_TOKENS)
    const usage = { input, output: operation === EMBEDDINGS ? 0 : most }
    // To write all of a prompt into a cache costs more than to read it.
    const isWritten = price?.cacheWrite !== undefined && isMarkedForCache(outgoing.bytes)
    const amounts = (output: number): Amounts => {
      const all = { input, output, ...(isWritten && { cacheWrite: input }) }
      return amountsOf(all, price, circumstancesOf(all, outgoing.bytes))
    }
    return { usage, price, amounts: amounts(usage.output), least: usage.output > SHORT ? amounts(SHORT) : undefined }
  }

  /**
   * What was used: as the vendor told, and where it did not, as far as can be known. `undefined`: the vendor goes on with
   * it, or may do so, and no guess says for how long.
   */
  used(exchange: Exchange, attempt: Attempt, expected: Expected, outcome: AttemptOutcome): Amounts | undefined {
    const { provider, model, operation } = attempt
    const { answers } = attempt.estimate
    const { usage, answer } = outcome
    const guessed = (): number =>
      answer?.kind === 'whole'
        ? tokensOf(textLength(answer))
        : Math.min(expected.usage.output, answers * this.options.typical.of(provider, model))
    const used = callUsage(attempt, outcome, guessed)
    const told = used?.estimated === false
    // Of several answers nobody says how many came.
    if (usage && told && outcome.outcome === 'answered' && operation === CHAT && answers === 1)
      this.options.typical.learn(provider, model, usage.output)
    if (exchange.outgoing.state?.goesOn && !told) return undefined
    if (!used) return NOTHING
    const { tier } = used.usage
    const price = tier === undefined ? expected.price : this.#price(exchange, attempt, tier)
    return amountsOf(used.usage, price, circumstancesOf(used.usage, exchange.outgoing.bytes))
  }

  /** What work took that a later call was told the end of. */
  tookInBackground(exchange: Exchange, { work, usage }: EndedWork): Amounts {
    const { provider, model } = work
    return amountsOf(usage, this.#price(exchange, { provider, model: model ?? undefined }, usage.tier))
  }

  #price(
    { outgoing }: Exchange,
    { provider, model }: Pick<Attempt, 'provider' | 'model'>,
    tier?: string,
  ): Price | undefined {
    const { pricing, vendors, unpriced } = this.options
    const price = pricing.priceOf({ instance: provider, vendor: vendors[provider], model, body: outgoing.body, tier })
    if (!price) unpriced(provider, model)
    return price
  }
}

const amountsOf = (usage: Usage, price: Price | undefined, circumstances?: Circumstances) => ({
  tokens: usage.input + usage.output,
  usd: costOf(usage, price, circumstances) ?? 0,
})

const NOTHING: Amounts = { tokens: 0, usd: 0 }
/** Tokens of an answer that is short, and that every vendor lets a client ask for. */
const SHORT = 16
/** The least that a counter holds. */
const LEAST_USD = 1e-9
