import type { FullTap } from 'tapable'
import type { Answer, TrailRow } from './exchange.ts'
import type { Log } from './host.ts'
import type { OpenExchange, Tapper } from './open-exchange.ts'
import { traces } from './traces.ts'

/** Any of tapable's hooks, as far as watching goes. */
interface Watched {
  readonly name?: string | undefined
  intercept(interceptor: { register: (tap: FullTap & { readonly tapper?: Tapper }) => FullTap }): void
}

type Run = (exchange: OpenExchange, extra?: unknown) => unknown

/** Failures here cost the client nothing: they are a warning, and the next tap has its turn. */
const FORGIVING = new Set(['recover', 'settle', 'finish'])

/** Wraps whatever is tapped into a hook, once: time and outcome to the trail, errors to the layer that threw them. */
export function watchTaps(hook: Watched, log: Log): void {
  const name = hook.name ?? ''
  hook.intercept({
    register: tap => {
      const run = tap.fn as Run
      const tapper = tap.tapper ?? { name: tap.name, label: tap.name, deflects: false, observes: true }
      const fn = name === 'finish' ? finishing(run, tapper, log) : watched(name, run, tapper, log)
      return { ...tap, fn }
    },
  })
}

/** Most settle taps of a hit have nothing to do: one promise serves them all. */
const NOTHING = Promise.resolve(undefined)

function watched(hook: string, run: Run, tapper: Tapper, log: Log): Run {
  // Not an async function: each would cost a frame, and three turns more before the next tap.
  const start = (exchange: OpenExchange, extra: unknown): Promise<unknown> => {
    try {
      return Promise.resolve(run(exchange, extra))
    } catch (error) {
      return Promise.reject(error)
    }
  }
  const timed = (exchange: OpenExchange, extra: unknown, row: TrailRow): Promise<unknown> => {
    const began = performance.now()
    return start(exchange, extra).then(
      answer => {
        row.ms = performance.now() - began
        if (answer === undefined || answer === null || hook === 'receive' || hook === 'settle') return undefined
        if (row.outcome === 'passed') row.outcome = 'answered'
        exchange.answered(tapper, answer as Answer)
        return answer
      },
      error => {
        row.ms = performance.now() - began
        row.outcome = 'failed'
        if (!FORGIVING.has(hook)) throw exchange.failed(error, tapper)
        log.warn(`${hook} failed`, { tap: tapper.name, request: exchange.id, error: reason(error) })
        return undefined
      },
    )
  }
  const span = tapper.spans?.[hook]
  const watch: Run = (exchange, extra) => {
    const traced = traces.taps.hasSubscribers
    const row = exchange.enter(hook, tapper, traced && span !== undefined)
    if (!traced) return timed(exchange, extra, row)
    return traces.taps.tracePromise(() => timed(exchange, extra, row), { exchange, hook, tap: tapper.name, span, row })
  }
  return hook === 'settle' ? (exchange, extra) => (exchange.owes(tapper) ? watch(exchange, extra) : NOTHING) : watch
}

function finishing(run: Run, tapper: Tapper, log: Log): Run {
  return exchange => {
    try {
      run(exchange)
    } catch (error) {
      log.warn('finish failed', { tap: tapper.name, request: exchange.id, error: reason(error) })
    }
  }
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))
