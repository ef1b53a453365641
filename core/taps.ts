import type { AsyncSeriesBailHook, AsyncSeriesHook, FullTap, SyncHook } from 'tapable'
import type { Answer, SettledAnswer } from './chat/answer.ts'
import { type GatewayError, isGatewayError, unforeseen } from './errors.ts'
import type { Exchange, TrailRow } from './exchange.ts'
import type { LayerHooks, Log } from './host.ts'
import type { OpenExchange, Tapper } from './open-exchange.ts'
import type { Attempt, AttemptOutcome } from './provider.ts'
import { isProviderError } from './provider-error.ts'
import { endTrace, type TapTrace, traces } from './traces.ts'

/** The hooks of a flow, as tapable has them. */
export interface FlowHooks {
  readonly receive: AsyncSeriesHook<[OpenExchange]>
  readonly answer: AsyncSeriesBailHook<[OpenExchange], Answer | undefined>
  readonly attempt: AsyncSeriesHook<[OpenExchange, Attempt]>
  readonly attempted: SyncHook<[OpenExchange, Attempt, AttemptOutcome]>
  readonly recover: AsyncSeriesBailHook<[OpenExchange, GatewayError], Answer | undefined>
  readonly settle: AsyncSeriesHook<[OpenExchange, SettledAnswer]>
  readonly finish: SyncHook<[OpenExchange]>
}

/** What one instance tapped, to be replayed into each flow that lists it. */
export class Taps {
  readonly #taps: ((hooks: FlowHooks) => void)[] = []

  constructor(readonly tapper: Tapper) {}

  /** The hooks as the plugin sees them: `tapPromise` only, so that no promise is mistaken for an answer. */
  readonly hooks: LayerHooks = {
    receive: { tapPromise: (_, run) => this.#record(hooks => hooks.receive.tapPromise(this.#options(), run)) },
    answer: { tapPromise: (_, run) => this.#record(hooks => hooks.answer.tapPromise(this.#options(), run)) },
    attempt: { tapPromise: (_, run) => this.#record(hooks => hooks.attempt.tapPromise(this.#options(), run)) },
    attempted: { tap: (_, run) => this.#record(hooks => hooks.attempted.tap(this.#options(), run)) },
    recover: { tapPromise: (_, run) => this.#record(hooks => hooks.recover.tapPromise(this.#options(), run)) },
    settle: { tapPromise: (_, run) => this.#record(hooks => hooks.settle.tapPromise(this.#options(), run)) },
    finish: {
      tap: (_, run: (exchange: Exchange) => void) => this.#record(hooks => hooks.finish.tap(this.#options(), run)),
    },
  }

  replay(hooks: FlowHooks): void {
    for (const tap of this.#taps) tap(hooks)
  }

  #record(tap: (hooks: FlowHooks) => void): void {
    this.#taps.push(tap)
  }

  /** tapable hands these to the interceptor below. The instance's name counts, not what the plugin wrote. */
  #options(): { name: string; tapper: Tapper } {
    return { name: this.tapper.name, tapper: this.tapper }
  }
}

/** Any of tapable's hooks, as far as watching goes. */
interface Watched {
  readonly name?: string | undefined
  intercept(interceptor: { register: (tap: FullTap & { readonly tapper?: Tapper }) => FullTap }): void
}

type Run = (exchange: OpenExchange, ...rest: unknown[]) => unknown

/** What one hook makes of its taps. */
interface Rules {
  /** What a tap throws is a warning, and the next tap has its turn: the client loses nothing by it. */
  readonly forgiving: boolean
  /** What a tap gives is an answer. */
  readonly answers: boolean
  /** A tap runs only where its plugin understands the operation. */
  readonly byOperation: boolean
}

const RULES: Readonly<Record<string, Rules>> = {
  receive: { forgiving: false, answers: false, byOperation: false },
  answer: { forgiving: false, answers: true, byOperation: true },
  attempt: { forgiving: false, answers: false, byOperation: false },
  recover: { forgiving: true, answers: true, byOperation: true },
  settle: { forgiving: true, answers: false, byOperation: true },
}

/** Wraps the taps of a hook, once: time and outcome to the trail, errors to the layer that threw them. */
export function watchTaps(hook: Watched, log: Log): void {
  const name = hook.name ?? ''
  const rules = RULES[name]
  hook.intercept({
    register: tap => {
      const run = tap.fn as Run
      const tapper = tap.tapper ?? { name: tap.name, label: tap.name, deflects: false, observes: true }
      const fn = rules ? watched(name, rules, run, tapper, log) : synchronous(name, run, tapper, log)
      return { ...tap, fn }
    },
  })
}

/** Most settle taps of a hit have nothing to do: one promise serves them all. */
const NOTHING = Promise.resolve(undefined)

function watched(hook: string, { forgiving, answers, byOperation }: Rules, run: Run, tapper: Tapper, log: Log): Run {
  // Not an async function: each would cost a frame, and three turns more before the next tap.
  const start = (exchange: OpenExchange, extra: unknown): Promise<unknown> => {
    try {
      return Promise.resolve(run(exchange, extra))
    } catch (error) {
      return Promise.reject(error)
    }
  }
  const timed = (
    exchange: OpenExchange,
    extra: unknown,
    row: TrailRow,
    outer: TrailRow | undefined,
    trace: TapTrace | undefined,
  ): Promise<unknown> => {
    const began = performance.now()
    const over = (): void => {
      row.ms = performance.now() - began
      exchange.resume(outer)
    }
    const end = (outcome?: Pick<TapTrace, 'result' | 'error'>): undefined => {
      if (trace) endTrace(traces.taps, trace, outcome)
    }
    const failed = (error: unknown): undefined => {
      over()
      row.outcome = 'failed'
      report(hook, error, tapper, exchange, log, forgiving)
      if (forgiving) return end()
      // A provider's error sends the chain on; it is no failure of the exchange yet.
      const thrown = isProviderError(error) && hook === 'attempt' ? error : exchange.failed(error, tapper)
      end({ error: thrown })
      throw thrown
    }
    return start(exchange, extra).then(answer => {
      if (!answers || answer === undefined || answer === null) {
        over()
        return end()
      }
      if (!isAnswer(answer)) return failed(new TypeError(NO_ANSWER))
      over()
      if (row.outcome === 'passed') row.outcome = 'answered'
      exchange.answered(tapper, answer)
      end({ result: answer })
      return answer
    }, failed)
  }
  const span = tapper.spans?.[hook]
  const watch: Run = (exchange, extra) => {
    const isTraced = traces.taps.hasSubscribers
    const outer = hook === 'attempt' ? exchange.running : undefined
    const row = exchange.enter(hook, tapper, isTraced && span !== undefined)
    const trace = isTraced ? { exchange, hook, tap: tapper.name, span, row, memos: {} } : undefined
    if (trace) traces.taps.start.publish(trace)
    return timed(exchange, extra, row, outer, trace)
  }
  if (hook === 'settle')
    return (exchange, extra) => (exchange.concerns(tapper) && exchange.owes(tapper) ? watch(exchange, extra) : NOTHING)
  return byOperation ? (exchange, extra) => (exchange.concerns(tapper) ? watch(exchange, extra) : NOTHING) : watch
}

const NO_ANSWER = 'what it gave is no answer: make one with textAnswer, wholeAnswer, liveAnswer or bytesAnswer'

const isAnswer = (given: unknown): given is Answer =>
  typeof given === 'object' && given !== null && 'kind' in given && 'facts' in given

function synchronous(hook: string, run: Run, tapper: Tapper, log: Log): Run {
  return (exchange, ...rest) => {
    // These hooks have no rows of their own: a note here would go to the row of another tap.
    const outer = exchange.running
    exchange.resume(undefined)
    try {
      run(exchange, ...rest)
    } catch (error) {
      report(hook, error, tapper, exchange, log, true)
    }
    exchange.resume(outer)
  }
}

/** An unforeseen error is logged with the plugin that threw it; a failure that the client loses nothing by, as a warning. */
function report(
  hook: string,
  error: unknown,
  tapper: Tapper,
  exchange: OpenExchange,
  log: Log,
  forgiven: boolean,
): void {
  const { id, failure } = exchange
  // A tap of `attempt` threw it, and the layer that asked passes it on.
  if (error === failure && !forgiven) return
  const { name: tap, file } = tapper
  const facts = unforeseen(error)
  if (forgiven) log.warn(`${hook} failed`, { tap, file, request: id, error: messageOf(error), ...facts })
  else if (facts && !isLogged(error)) log.error(`${tap} threw in ${hook}`, { tap, file, request: id, ...facts })
}

/** What several requests that share a call get thrown is one error. */
const logged = new WeakSet<object>()

function isLogged(error: unknown): boolean {
  let root = error
  while (isGatewayError(root) && root.cause !== undefined) root = root.cause
  if (typeof root !== 'object' || root === null) return false
  const known = logged.has(root)
  logged.add(root)
  return known
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
