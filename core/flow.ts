import { AsyncSeriesBailHook, AsyncSeriesHook, SyncHook } from 'tapable'
import type { GatewayError } from './errors.ts'
import type { Answer, WholeAnswer } from './exchange.ts'
import type { Log, Stored } from './host.ts'
import type { OpenExchange, Tapper } from './open-exchange.ts'
import { watchTaps } from './taps.ts'
import { traces } from './traces.ts'

type Maybe = Answer | undefined

/**
 * Start here: the way of one request.
 *
 * It is admitted, answered by the first layer that can, recovered where a failure allows it, settled so
 * that the next one is cheaper, and finished. Which layers, and in which order, stands in `pipelines/*.yaml`.
 */
export class Flow {
  readonly hooks = Object.freeze({
    /** Admission: key, session, aliases. Throws to refuse. */
    receive: new AsyncSeriesHook<[OpenExchange]>(['exchange'], 'receive'),
    /** The layers in flow order; first answer wins. */
    answer: new AsyncSeriesBailHook<[OpenExchange], Maybe>(['exchange'], 'answer'),
    /** After a recoverable failure; first answer wins. */
    recover: new AsyncSeriesBailHook<[OpenExchange, GatewayError], Maybe>(['exchange', 'failure'], 'recover'),
    /** Write-back and books, beside the client's own bytes. */
    settle: new AsyncSeriesHook<[OpenExchange, WholeAnswer]>(['exchange', 'answer'], 'settle'),
    /** Logs and metrics; always. */
    finish: new SyncHook<[OpenExchange]>(['exchange'], 'finish'),
  })

  constructor(
    readonly name: string,
    log: Log,
  ) {
    for (const hook of Object.values(this.hooks)) watchTaps(hook, log)
  }

  /**
   * Answers one exchange. Resolves with the answer, whole or live, or `undefined` when no layer had one; throws the
   * `GatewayError` that the client is told. The rest (`closed`) goes on behind it.
   */
  handle(exchange: OpenExchange): { readonly answer: Promise<Maybe>; readonly closed: Promise<void> } {
    const answer = traces.exchanges.hasSubscribers
      ? traces.exchanges.tracePromise(() => this.#answer(exchange), { exchange })
      : this.#answer(exchange)
    return { answer, closed: this.#close(exchange, answer) }
  }

  async #answer(exchange: OpenExchange): Promise<Maybe> {
    try {
      await this.hooks.receive.promise(exchange)
      await exchange.read()
      return await this.hooks.answer.promise(exchange)
    } catch (error) {
      const failure = exchange.failure ?? exchange.failed(error)
      const rescue = failure.recoverable ? await this.hooks.recover.promise(exchange, failure) : undefined
      if (!rescue) throw failure
      return rescue
    }
  }

  async #close(exchange: OpenExchange, answering: Promise<Maybe>): Promise<void> {
    try {
      const answer = await answering
      await undefined // whoever replies waits for the same promise: the client's bytes go first
      if (answer) await this.hooks.settle.promise(exchange, answer.kind === 'live' ? await answer.whole : answer)
    } catch (error) {
      exchange.failed(error)
    }
    this.hooks.finish.call(exchange)
  }

  /** Who may ask, without a prompt to answer. */
  async admit(exchange: OpenExchange): Promise<void> {
    await this.hooks.receive.promise(exchange)
  }

  /** An answer from outside enters by the same door and settles in every layer. */
  async put(exchange: OpenExchange, answer: WholeAnswer): Promise<Stored> {
    await this.hooks.receive.promise(exchange)
    await exchange.read()
    exchange.bring(answer)
    await this.hooks.settle.promise(exchange, answer)
    return storedIn(exchange)
  }
}

/** What the layers noted while the answer settled. */
function storedIn({ trail }: OpenExchange): Stored {
  const outcomes = trail.filter(({ hook }) => hook === 'settle').map(({ outcome }) => outcome)
  if (outcomes.includes('stored')) return { stored: true }
  return { stored: false, reason: outcomes.find(outcome => outcome !== 'passed') ?? 'no_cache' }
}

export type { Tapper }
