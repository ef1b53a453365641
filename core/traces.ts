import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel'
import type { Call } from './call.ts'
import type { Exchange, TrailRow } from './exchange.ts'

/** A call to a surface that feeds a flow, from its route to the last byte of its reply. */
export interface CallTrace {
  /** See `Host.gateway`: there may be several in one process. */
  readonly gateway: string
  /** As the surface offered it: `/v1/models/*id`. */
  readonly route: string
  readonly call: Call
  /** What the route threw. */
  readonly error?: unknown
  /** Where those who trace keep from begin to end what they need, see `Memo`. */
  readonly memos: Exchange['memos']
}

/** An exchange, from admission to its answer. It has the id of its call. */
export interface ExchangeTrace {
  readonly exchange: Exchange
}

/** One tap of an exchange that ran. */
export interface TapTrace {
  readonly exchange: Exchange
  /** `receive`, `answer`, `recover` or `settle`; a part of its work that a layer traces by itself has a word of its own. */
  readonly hook: string
  /** The instance that tapped. */
  readonly tap: string
  /** What its plugin calls the span of this hook; without a name it wants none. */
  readonly span: string | undefined
  /** Written to the end when the tap is over: time, outcome, attributes. */
  readonly row: TrailRow
  /** What the tap gave, and what it threw where that fails the exchange. */
  readonly result?: unknown
  readonly error?: unknown
  /** As those of a call. */
  readonly memos: Exchange['memos']
}

/**
 * What happens inside, for tracers: channels of `node:diagnostics_channel`, each with `start` and `asyncEnd`, and an object
 * that is the same in both. They belong to the process, so a subscriber picks its own gateway's calls. Without a subscriber
 * they cost a look at a counter. What a subscriber throws ends the process.
 */
export const traces = {
  calls: tracingChannel<unknown, CallTrace>('deflector:call'),
  exchanges: tracingChannel<unknown, ExchangeTrace>('deflector:exchange'),
  taps: tracingChannel<unknown, TapTrace>('deflector:tap'),
} as const

/** What a traced work came to. */
interface Outcome {
  readonly result?: unknown
  readonly error?: unknown
}

/** Publishes the end of what began with `start`. */
export function endTrace<Trace extends object>(
  channel: TracingChannel<unknown, Trace>,
  trace: Trace,
  outcome: Outcome = {},
): void {
  channel.asyncEnd.publish(Object.assign(trace, outcome))
}

/** Runs what somebody traces. `tracePromise` of the channel publishes twice as often, and runs it in asynchronous stores. */
export function traced<Trace extends object, Result>(
  channel: TracingChannel<unknown, Trace>,
  run: () => Promise<Result>,
  trace: Trace,
): Promise<Result> {
  const failed = (error: unknown): never => {
    endTrace(channel, trace, { error })
    throw error
  }
  channel.start.publish(trace)
  try {
    return run().then(result => {
      endTrace(channel, trace, { result })
      return result
    }, failed)
  } catch (error) {
    return failed(error)
  }
}
