import type { Cancellation } from './cancellation.ts'
import { type Answer, endedBy, type SettledAnswer, type WholeAnswer, withFacts } from './chat/answer.ts'
import type { Usage } from './chat/completion.ts'
import type { Prompt } from './chat/format.ts'
import { isGatewayError, unforeseen } from './errors.ts'
import type { TrailRow } from './exchange.ts'
import type { Log } from './host.ts'
import { maskedKey } from './masked-key.ts'
import type { OpenExchange } from './open-exchange.ts'
import type { Attempt, AttemptOutcome, CallSpec, Provider, ProviderCall, TokenEstimate } from './provider.ts'
import { isProviderError, NOT_AN_ANSWER, ProviderError } from './provider-error.ts'
import type { FlowHooks } from './taps.ts'

const BYTES_PER_TOKEN = 4

/** The provider of an attempt, and what the log needs of it. */
export interface Asked {
  /** Instance name. */
  readonly name: string
  readonly provider: Provider
  readonly log: Log
  /** Where its plugin was loaded from; absent for a built-in one. */
  readonly file?: string | undefined
}

/** One vendor attempt, with the hooks `attempt` and `attempted` around it. Throws what the provider or a tap threw. */
export async function dispatch(
  hooks: Pick<FlowHooks, 'attempt' | 'attempted'>,
  exchange: OpenExchange,
  asked: Asked,
  spec: CallSpec,
): Promise<Answer> {
  const { name, provider } = asked
  const call = new VendorCall(name, spec, exchange)
  const { cancellation } = spec
  const report = hooks.attempted.taps.length > 0 ? reporter(hooks, exchange, call) : undefined
  let outcome: AttemptOutcome['outcome'] = 'refused'
  try {
    if (hooks.attempt.taps.length > 0) await cancellation.guard(hooks.attempt.promise(exchange, call))
    cancellation.throwIfCancelled()
    outcome = 'failed'
    const given = await cancellation.guard(Promise.resolve(provider.complete(call)))
    const answer = named(given, name, cancellation)
    logOmitted(asked, call)
    if (report) watch(answer, report, cancellation)
    if (answer?.kind === 'live') answer.whole.catch(error => logBug(error, asked, call))
    return answer
  } catch (error) {
    if (outcome === 'failed') {
      logBug(error, asked, call)
      logOmitted(asked, call)
    }
    report?.({ outcome: outcome === 'refused' ? outcome : (endOf(cancellation) ?? outcome), error })
    throw outcome === 'refused' && isProviderError(error) && !cancellation.cancelled ? refusal(error) : error
  }
}

/** How a cancelled attempt ended; `undefined` for one that ended by itself. */
const endOf = (cancellation: Cancellation): AttemptOutcome['outcome'] | undefined =>
  left(cancellation) ? 'cancelled' : cancellation.cancelled ? 'failed' : undefined

/** What a tap threw says nothing of the vendor or its key: the layer that asked goes on to the next provider. */
function refusal(error: ProviderError): ProviderError {
  const { reason, message, retryAfterMs } = error
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
  return new ProviderError(reason, message, { ...wait, refused: true, cause: error })
}

/** A provider threw what no contract foresees. What cancelled a call is not its provider's doing. */
function logBug(error: unknown, { name, file, log }: Asked, { requestId, cancellation }: VendorCall): void {
  const facts = cancellation.cancelled ? undefined : unforeseen(error)
  if (facts)
    log.error('a provider plugin threw something unforeseen', { provider: name, file, request: requestId, ...facts })
}

/** Names of fields only. */
function logOmitted({ name, log }: Asked, { omitted, requestId }: VendorCall): void {
  if (omitted.length > 0)
    log.debug('fields of the request were left out', { provider: name, fields: omitted, request: requestId })
}

/** A plugin may give something that is no answer; that is for the layer that asked to say. */
function named(answer: Answer, provider: string, cancellation: Cancellation): Answer {
  if (answer?.kind === 'live') return endedBy(answer, { provider }, cancellation)
  return answer?.kind === 'whole' || answer?.kind === 'bytes' ? withFacts(answer, { provider }) : answer
}

/** All clients have left. A vendor that was too slow is cancelled with a provider's error, and its clients still wait. */
const left = ({ cancelled, reason }: Cancellation): boolean => cancelled && !isProviderError(reason)

interface Ended {
  readonly outcome: AttemptOutcome['outcome']
  readonly error?: unknown
  readonly usage?: Usage | undefined
  readonly received?: number | undefined
  readonly chunks?: number | undefined
  readonly answer?: SettledAnswer | undefined
  /** On the clock of `performance.now()`. */
  readonly firstTokenAt?: number | undefined
}

/** Calls `attempted` once, at the first end that is reported. */
function reporter(
  hooks: Pick<FlowHooks, 'attempted'>,
  exchange: OpenExchange,
  call: VendorCall,
): (ended: Ended) => void {
  let open = true
  return ({ outcome, error, firstTokenAt, usage, received, chunks, answer }) => {
    if (!open) return
    open = false
    const answered = outcome === 'answered'
    const status = isProviderError(error) ? error.status : answered ? 200 : undefined
    const ms = performance.now() - call.began
    const firstTokenMs = firstTokenAt === undefined ? (answered ? ms : undefined) : firstTokenAt - call.began
    const told = isProviderError(error) ? error.usage : undefined
    const ended = { outcome, error, status, usage: told ?? usage, received, chunks, answer, firstTokenMs, ms }
    hooks.attempted.call(exchange, call, ended)
  }
}

/** A whole answer is over at once, a live one with its stream, or when its last reader has left. */
function watch(answer: Answer, report: (ended: Ended) => void, cancellation: Cancellation): void {
  if (answer?.kind === 'whole') report({ outcome: 'answered', usage: usageOf(answer), answer })
  else if (answer?.kind === 'bytes') report({ outcome: 'answered', usage: answer.usage, answer })
  else if (answer?.kind === 'live') {
    const over = (error?: unknown, whole?: WholeAnswer): void => {
      const { complete, ...progress } = answer.progress
      // An answer too large to be assembled was passed on all the same.
      if (complete) report({ outcome: 'answered', ...progress, answer: whole })
      else report({ outcome: left(cancellation) ? 'cancelled' : 'failed', error: thrownBy(error), ...progress })
    }
    answer.whole.then(whole => over(undefined, whole), over)
  } else report({ outcome: 'failed', error: new ProviderError('protocol', NOT_AN_ANSWER, { fault: NOT_AN_ANSWER }) })
}

/** Readers of a stream get the client's error; its cause is what the provider threw. */
const thrownBy = (error: unknown): unknown =>
  isGatewayError(error) && isProviderError(error.cause) ? error.cause : error

/** Bytes that nothing can read go to a client of the same dialect all the same. */
function usageOf(answer: WholeAnswer): Usage | undefined {
  try {
    return answer.completion.usage
  } catch (error) {
    return isProviderError(error) ? error.usage : undefined
  }
}

const NOTHING: readonly string[] = []

/** With `text` among them, once. */
function added(list: string[] = [], text: string): string[] {
  if (!list.includes(text)) list.push(text)
  return list
}

/**
 * The call as its provider sees it, and as the hooks do. A class, because V8 makes a new shape for each object literal
 * with a getter in it.
 */
class VendorCall implements ProviderCall, Attempt {
  readonly began = performance.now()
  readonly prompt: Prompt
  readonly model: string | undefined
  readonly stream: boolean
  readonly requestId: string
  readonly headers: ProviderCall['headers']
  readonly traceparent: string | undefined
  readonly cancellation: Cancellation
  readonly keyLabel: string | undefined
  #key: string | undefined
  #omitted: string[] | undefined
  /** Of the layer that asks. */
  readonly #row: TrailRow | undefined

  constructor(
    readonly provider: string,
    { prompt, model, stream, key, cancellation }: CallSpec,
    { id, headers, traceparent, running }: OpenExchange,
  ) {
    this.prompt = prompt
    this.model = model
    this.stream = stream
    this.cancellation = cancellation
    this.keyLabel = key && (key.label || maskedKey(key.key))
    this.#key = key?.key
    this.requestId = id
    this.headers = headers
    this.traceparent = traceparent
    this.#row = running
  }

  get omitted(): readonly string[] {
    return this.#omitted ?? NOTHING
  }

  note(field: string): void {
    this.#omitted = added(this.#omitted, field)
    if (this.#row) this.#row.omitted = added(this.#row.omitted, `${this.provider}: ${field}`)
  }

  get operation(): string {
    return this.prompt.operation
  }

  get key(): string | undefined {
    return this.#key
  }

  useKey(key: string): void {
    this.#key = key
  }

  get signal(): AbortSignal {
    return this.cancellation.signal
  }

  get estimate(): TokenEstimate {
    const { bytes, body, dialect } = this.prompt
    return {
      input: Math.ceil(bytes.length / BYTES_PER_TOKEN),
      output: dialect.outputCap?.(body),
      answers: dialect.choices?.(body) ?? 1,
    }
  }
}
