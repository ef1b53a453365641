import { Cancellation } from './cancellation.ts'
import type { Clock } from './host.ts'

export interface TimeLimit {
  /** Milliseconds after which nobody needs the result. */
  readonly ms: number
  readonly clock: Pick<Clock, 'after' | 'patience'>
  /** What is missing then, for the error: `no vector`. */
  readonly what: string
  /** The request that the work is for. */
  readonly parent?: Cancellation
}

/**
 * What `run` gives; rejects with a `TimeoutError` after `ms`, whatever the work does, and with the reason of `parent` when
 * that is cancelled. The work gets a cancellation, so that it can stop.
 */
export async function inTime<T>(
  { ms, clock, what, parent }: TimeLimit,
  run: (work: Cancellation) => Promise<T>,
): Promise<T> {
  parent?.throwIfCancelled()
  const work = new Cancellation()
  const forget = parent?.onCancel(reason => work.cancel(reason))
  const late = (): void => work.cancel(new DOMException(`${what} within ${ms} ms`, 'TimeoutError'))
  const patience = clock.patience(ms)
  // The event loop gets one more turn: what arrived while this process was busy is not late.
  const stop = Number.isFinite(patience) ? clock.after(patience, () => setImmediate(late)) : undefined
  try {
    return await work.guard(run(work))
  } finally {
    stop?.()
    forget?.()
  }
}
