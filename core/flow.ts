import { AsyncSeriesBailHook, AsyncSeriesHook, SyncHook } from 'tapable'
import { type Answer, type WholeAnswer, wholeAnswer } from './chat/answer.ts'
import { GatewayError, unforeseen } from './errors.ts'
import type { Log, Stored } from './host.ts'
import type { OpenExchange } from './open-exchange.ts'
import { type FlowHooks, watchTaps } from './taps.ts'
import { traced, traces } from './traces.ts'

type Maybe = Answer | undefined

/**
 * Start here: the way of one request.
 *
 * It is received, answered by the first layer that can, recovered where a failure allows it, settled so that the next
 * one is cheaper, and finished. `pipelines/*.yaml` says which layers there are, and in which order.
 */
export class Flow {
  readonly hooks: FlowHooks = Object.freeze({
    /** Admission: key, session, aliases. Throws to refuse. */
    receive: new AsyncSeriesHook(['exchange'], 'receive'),
    /** The layers in flow order; first answer wins. */
    answer: new AsyncSeriesBailHook(['exchange'], 'answer'),
    /** Around every vendor call, see `dispatch.ts`. */
    attempt: new AsyncSeriesHook(['exchange', 'attempt'], 'attempt'),
    attempted: new SyncHook(['exchange', 'attempt', 'outcome'], 'attempted'),
    /** After a recoverable failure; first answer wins. */
    recover: new AsyncSeriesBailHook(['exchange', 'failure'], 'recover'),
    /** Write-back and books, beside the client's own bytes. */
    settle: new AsyncSeriesHook(['exchange', 'answer'], 'settle'),
    /** Logs and metrics; always, once. */
    finish: new SyncHook(['exchange'], 'finish'),
  } satisfies FlowHooks)

  constructor(
    readonly name: string,
    private readonly log: Log,
    /** Names of its layers, in order. */
    readonly layers: readonly string[] = [],
  ) {
    for (const hook of Object.values(this.hooks)) watchTaps(hook, log)
  }

  /**
   * Answers one exchange. Resolves with the answer, whole or live; throws the `GatewayError` that the client gets. A
   * lookup that no layer can answer resolves with `undefined`. The rest (`closed`) goes on behind it.
   */
  handle(exchange: OpenExchange): { readonly answer: Promise<Maybe>; readonly closed: Promise<void> } {
    const answer = traces.exchanges.hasSubscribers
      ? traced(traces.exchanges, () => this.#answer(exchange), { exchange })
      : this.#answer(exchange)
    return { answer, closed: this.#close(exchange, answer) }
  }

  async #answer(exchange: OpenExchange): Promise<Maybe> {
    try {
      await this.hooks.receive.promise(exchange)
      await exchange.read()
      const answer = await this.hooks.answer.promise(exchange)
      if (answer || exchange.kind === 'lookup') return answer
      throw new GatewayError('unanswered', 'no layer of this flow could answer')
    } catch (error) {
      const failure = this.#failed(exchange, error)
      const rescue = failure.recoverable ? await this.hooks.recover.promise(exchange, failure) : undefined
      if (!rescue) throw failure
      return rescue
    }
  }

  async #close(exchange: OpenExchange, answering: Promise<Maybe>): Promise<void> {
    let answer: Maybe
    try {
      answer = await answering
      await clientsBytesFirst()
      if (answer) await this.hooks.settle.promise(exchange, answer.kind === 'live' ? await answer.whole : answer)
    } catch (error) {
      // A stream that cannot be kept was passed on all the same.
      if (answer?.kind !== 'live' || !answer.progress.complete) exchange.failed(error)
    }
    this.hooks.finish.call(exchange)
  }

  /**
   * Checks the caller, and reads the prompt where there is one, which no layer answers. Then it runs what the call is for:
   * the exchange fails of what that throws.
   */
  async admit(exchange: OpenExchange, run?: () => Promise<void> | void): Promise<void> {
    try {
      await this.#reading(exchange, () => this.#letIn(exchange))
      await run?.()
    } catch (error) {
      exchange.failed(error)
      throw error
    } finally {
      this.hooks.finish.call(exchange)
    }
  }

  /** An answer from outside is admitted like a request, and settles in every layer. */
  async put(exchange: OpenExchange, answer: WholeAnswer): Promise<Stored> {
    try {
      return await this.#reading(exchange, async () => {
        await this.#letIn(exchange)
        const whole = ofModel(answer, exchange.model)
        exchange.bring(whole)
        await this.hooks.settle.promise(exchange, whole)
        return storedIn(exchange)
      })
    } finally {
      this.hooks.finish.call(exchange)
    }
  }

  async #letIn(exchange: OpenExchange): Promise<void> {
    await this.hooks.receive.promise(exchange)
    await exchange.read()
  }

  async #reading<T>(exchange: OpenExchange, run: () => Promise<T>): Promise<T> {
    try {
      return await run()
    } catch (error) {
      throw this.#failed(exchange, error)
    }
  }

  /** Taps log what they throw; what the surface's `read` throws is logged here. */
  #failed(exchange: OpenExchange, error: unknown): GatewayError {
    const facts = error === exchange.failure ? undefined : unforeseen(error)
    const { id: request, surface } = exchange
    if (facts) this.log.error('a request could not be read', { surface, request, ...facts })
    return exchange.failed(error)
  }
}

/** The reply waits for the same promise as `#close`: one turn later its first bytes are written. */
const clientsBytesFirst = (): Promise<void> => Promise.resolve()

/** What comes from outside names no model: it answers the one that was asked for, aliases resolved. */
function ofModel(answer: WholeAnswer, model = ''): WholeAnswer {
  const { completion, facts } = answer
  return completion.model === '' ? wholeAnswer({ completion: { ...completion, model }, ...facts }) : answer
}

/** What the layers noted while the answer settled. */
function storedIn({ trail }: OpenExchange): Stored {
  const outcomes = trail.filter(({ hook }) => hook === 'settle').map(({ outcome }) => outcome)
  if (outcomes.includes('stored')) return { stored: true }
  return { stored: false, reason: outcomes.find(outcome => outcome !== 'passed') ?? 'no_cache' }
}
