import type { Cancellation } from './cancellation.ts'
import type { Answer, SettledAnswer } from './chat/answer.ts'
import type { Usage } from './chat/completion.ts'
import type { Prompt } from './chat/format.ts'
import type { Exchange } from './exchange.ts'

/** One vendor. */
export interface Provider {
  /**
   * Credentials, by preference. Absent: the vendor needs none. Empty: one is needed and none is configured.
   * Asked anew for every call.
   */
  keys?(): readonly ProviderKey[]
  /** Why `keys` is empty, in words for a client without secrets or paths. Default: none was given. */
  keyTrouble?(): string | undefined
  /** Is this credential, a client's own, one that this provider's vendor gave out? Default: no. */
  owns?(credential: string): boolean
  /** The model to ask for when the client named none, or when the chain falls back to this provider. */
  readonly model?: string
  /** What it can be asked for. Default: `chat` alone. */
  readonly operations?: readonly string[]
  /** Limits of its own for one attempt, in place of those of the layer that asks. */
  readonly limits?: AttemptLimits
  /** Its model's window is larger than those of others: it is asked what was too long for them. */
  readonly largerContext?: boolean
  /**
   * Does this vendor document that an answer goes on where the last turn of a prompt, an assistant's, ends? Default: no.
   */
  continues?(prompt: Prompt, model: string | undefined): boolean
  /** The models that the vendor says it has. Absent: it has no list. Throws `ProviderError`. */
  listModels?(cancellation: Cancellation): Promise<readonly VendorModel[]>
  /**
   * One attempt. Whole, or live when `call.stream` and the vendor streams; bytes for another operation than chat. A live
   * answer is returned at its first content, so that a failure before it can still go to the next provider. Throws
   * `ProviderError`.
   */
  complete(call: ProviderCall): Promise<Answer>
}

/** How long one attempt may be silent, in milliseconds. */
export interface AttemptLimits {
  /** Of a stream, until its first content or reasoning. */
  readonly firstEventMs?: number | undefined
  /** Of an answer that comes whole. */
  readonly wholeAnswerMs?: number | undefined
}

/** One model in a vendor's list. */
export interface VendorModel {
  readonly id: string
  /** For people. */
  readonly title?: string
  /** Unix seconds. */
  readonly created?: number
  /** Tokens that a prompt may have, and an answer. */
  readonly inputLimit?: number
  readonly outputLimit?: number
}

export interface ProviderKey {
  readonly key: string
  readonly label?: string
  /** Lower is preferred, under the `priority` strategy. */
  readonly priority?: number
}

export interface ProviderCall {
  readonly prompt: Prompt
  readonly model: string | undefined
  readonly stream: boolean
  readonly key: string | undefined
  readonly requestId: string
  /** See `Exchange.traceparent`. */
  readonly traceparent?: string | undefined
  /** Client headers, for those few that `Dialect.headers` names, and for its user agent. */
  readonly headers: Exchange['headers']
  /** Cancelled when everybody who waits has left, or when the time for a first byte is over. */
  readonly cancellation: Cancellation
  /** The same as a signal; it costs more, so it is made when asked for. */
  readonly signal: AbortSignal
  /**
   * Names a field of the client's, in the client's own words, that the vendor is not told because it has no words for it,
   * and without which the answer has the same shape. Never a value. It goes to the trail. Absent where there is none.
   */
  note?(field: string): void
}

/** One call of a provider before its attempt: what a layer decides. */
export interface CallSpec {
  readonly prompt: Prompt
  readonly model: string | undefined
  readonly stream: boolean
  readonly key: ProviderKey | undefined
  readonly cancellation: Cancellation
}

/** A provider as layers are handed it: every call goes through the hooks `attempt` and `attempted` of the flow. */
export interface ProviderHandle
  extends Pick<Provider, 'keys' | 'keyTrouble' | 'owns' | 'limits' | 'largerContext' | 'continues'> {
  /** Instance name. */
  readonly name: string
  readonly model?: string | undefined
  readonly operations: readonly string[]
  /** One attempt for this exchange. The answer bears the provider's name. Throws what the provider or a tap threw. */
  attempt(exchange: Exchange, spec: CallSpec): Promise<Answer>
}

/** One attempt, as the hooks around it see it. */
export interface Attempt {
  /** Instance name of the provider. */
  readonly provider: string
  readonly model: string | undefined
  readonly operation: string
  /** Label of the key, or without one the key masked (`maskedKey`). The key itself is not shown. */
  readonly keyLabel: string | undefined
  readonly stream: boolean
  /** When the call began, on the clock of `performance.now()`. */
  readonly began?: number
  /** The fields of the client's that the provider noted with `ProviderCall.note`; complete in `attempted`. */
  readonly omitted: readonly string[]
  /** What the call may cost, computed when asked for. */
  readonly estimate: TokenEstimate
  /** Cancelled when the result is not awaited any more. `attempted` follows at once, so a tap that waits has to stop. */
  readonly cancellation: Cancellation
  /** Sends a fresh credential in place of the one that was chosen. For taps of `attempt`. */
  useKey(key: string): void
}

/** Tokens, roughly: reservations are corrected by `attempted`. */
export interface TokenEstimate {
  /** Four bytes of the body a token, which is near for English and too few for most other scripts. */
  readonly input: number
  /** The client's cap over all answers, where it gave one. */
  readonly output: number | undefined
  /** Answers that the client asks for at once. */
  readonly answers: number
}

/** How an attempt ended. */
export interface AttemptOutcome {
  /**
   * `refused`: the vendor was never called, as a tap of `attempt` threw, or the call was cancelled before. `cancelled`:
   * all clients left.
   */
  readonly outcome: 'answered' | 'failed' | 'refused' | 'cancelled'
  /** What was thrown. */
  readonly error: unknown
  /** The vendor's HTTP status, where there was one. */
  readonly status: number | undefined
  /** Also of a stream that was cut off, as far as the vendor told; of a failure that says it, see `ProviderError.usage`. */
  readonly usage: Usage | undefined
  /** Characters of text, reasoning and arguments that came of a stream, also of one that was cut off. */
  readonly received?: number | undefined
  /** Frames of a stream that held content; see `Progress.chunks`. */
  readonly chunks?: number | undefined
  /** What the vendor answered; absent where it was cut off. */
  readonly answer?: SettledAnswer | undefined
  /** Milliseconds from the call to the first content of a stream, or to the whole answer. */
  readonly firstTokenMs: number | undefined
  /** Milliseconds from the call to its end. */
  readonly ms: number
}
