import { type Answer, type Attempt, type AttemptOutcome, type Exchange, facet, type ProviderHandle } from 'deflector'

/** One call of one provider. */
export interface SingleCall {
  readonly timeoutMs: number
  readonly model: string | undefined
  readonly stream: boolean
}

/** How a layer that asks a chain of providers asks one of them, for layers that need just that. */
export interface ProviderCalls {
  /** Instance names of its providers. */
  readonly providers: readonly string[]
  /**
   * Asks one provider once, with a key that does not cool down. Only where the vendor refuses the key itself is another
   * one tried. Throws the `GatewayError` for the client.
   */
  ask(provider: ProviderHandle, exchange: Exchange, call: SingleCall): Promise<Answer>
  /** For a tap of `attempt` of the layer that asks: has the chosen key come to cool down? */
  checkKey(attempt: Attempt): void
  /** For its tap of `attempted`: how providers are is told of this call, too. */
  attempted(exchange: Exchange, attempt: Attempt, outcome: AttemptOutcome): void
}

export const providerCalls = facet<ProviderCalls>('provider-calls')
