import {
  type Answer,
  type Attempt,
  type Cancellation,
  type Clock,
  type Log,
  type ProviderError,
  type ProviderReason,
  toGatewayError,
  withFacts,
} from 'deflector'
import { type AttemptOptions, Attempts, type ChainCall } from './attempts.ts'
import { mayHaveBegun } from './begun-work.ts'
import { isBlock } from './block.ts'
import type { Candidate } from './candidate.ts'
import { chainFailure, type Failure, isLimit, neverMends, notAsked } from './chain-failure.ts'
import type { Circuits } from './circuits.ts'
import { Deadline } from './deadline.ts'
import type { Hedges } from './hedges.ts'
import type { KeyPool } from './key-pool.ts'
import { type WaitOptions, Waits } from './waiting.ts'

export interface ChainOptions extends WaitOptions, AttemptOptions {
  /** From the first attempt to the first byte, over all providers. */
  readonly timeoutMs: number
  /** Attempts at one provider. A move to another key because of the key alone is not counted. */
  readonly maxAttempts: number
}

interface Run {
  readonly call: ChainCall
  /** Cancelled when all waiting clients have left, or when the deadline has passed. */
  readonly cancellation: Cancellation
  readonly deadline: Deadline
  readonly waits: Waits
  readonly failures: Failure[]
  /** The providers as they are listed, wherever their circuits have moved them. */
  readonly listed: readonly Candidate[]
  readonly refusal: Refusal
}

/** Why some of the providers are not asked any more. */
interface Refusal {
  /** The first refusal of a prompt that is too long for its model: from then on only larger ones are asked. */
  tooLong?: ProviderError
  /** A limit blocks the call at this provider: none that is listed behind it is asked. */
  blockedAt?: Candidate
}

/** Failures of the key, not of the provider: another key may work. */
const KEY_FAULTS = new Set<ProviderReason>(['rate_limited', 'quota', 'credential'])

/** Where all fail like this, the first says what it is that a dialect has no words for. */
const WORDLESS: readonly ProviderReason[] = ['unsayable', 'untellable']

/** Asks the providers in order, each within its budget of attempts, until one answers. */
export class Chain {
  readonly #attempts: Attempts

  constructor(
    private readonly clock: Clock,
    log: Log,
    private readonly pool: KeyPool,
    private readonly circuits: Circuits,
    private readonly options: ChainOptions,
    private readonly hedges?: Hedges,
  ) {
    this.#attempts = new Attempts(clock, log, pool, circuits, options)
  }

  /** See `Attempts.checkKey`. */
  checkKey(attempt: Attempt): void {
    this.#attempts.checkKey(attempt)
  }

  /** The first answer, with its provider's name. Throws the `GatewayError` for the client. */
  async ask(
    given: readonly Candidate[],
    call: ChainCall,
    cancellation: Cancellation,
    timeoutMs: number = this.options.timeoutMs,
  ): Promise<Answer> {
    const candidates = this.circuits.ordered(given)
    const deadline = new Deadline(this.clock, timeoutMs, cancellation)
    const waits = new Waits(this.clock, this.options)
    const run: Run = { call, cancellation, deadline, waits, failures: [], listed: given, refusal: {} }
    try {
      const answer = await (this.hedges?.isFor(candidates, call)
        ? this.#hedged(candidates, run, this.hedges)
        : this.#inOrder(candidates, run))
      if (answer) return answer
    } catch (error) {
      deadline.throwIfAbandoned() // all clients have left: rethrow their cancellation
      if (!deadline.expired) throw toGatewayError(error)
    } finally {
      deadline.clear()
    }
    if (run.refusal.tooLong) throw toGatewayError(run.refusal.tooLong)
    const wordless = WORDLESS.find(reason => run.failures.every(failure => failure.reason === reason))
    if (wordless && run.failures[0]?.error) throw toGatewayError(run.failures[0].error)
    throw chainFailure(run.failures, this.#recoveryMs(candidates, run), deadline.expired)
  }

  async #inOrder(candidates: readonly Candidate[], run: Run): Promise<Answer | undefined> {
    for (const [at, candidate] of candidates.entries()) {
      if (isRefused(candidate, run)) continue
      const remaining = candidates.slice(at + 1)
      const mayLeave =
        remaining.length > 0 && !run.call.prompt.state?.starts ? () => this.#anyReady(remaining, run) : undefined
      const answer = await this.#askCandidate(candidate, mayLeave, run)
      if (answer || run.deadline.expired) return answer
    }
    return undefined
  }

  /** The others are asked in their order too, but as soon as the first is slow. It is not left then. */
  #hedged([first, ...others]: readonly Candidate[], run: Run, hedges: Hedges): Promise<Answer | undefined> {
    const isReady = (candidate: Candidate): boolean => this.#anyReady([candidate], run)
    return hedges.race({
      cancellation: run.cancellation,
      stream: run.call.stream,
      mayAsk: () => others.some(isReady),
      first: async (cancellation, isHedged) => {
        if (!first) return undefined
        const mayLeave = () => !isHedged() && this.#anyReady(others, run)
        return this.#askCandidate(first, mayLeave, { ...run, cancellation })
      },
      others: (cancellation, isHedge) => {
        const ordered = isHedge ? [...others].sort((a, b) => Number(isReady(b)) - Number(isReady(a))) : others
        return run.deadline.expired ? Promise.resolve(undefined) : this.#inOrder(ordered, { ...run, cancellation })
      },
    })
  }

  async #askCandidate(
    candidate: Candidate,
    mayLeave: (() => boolean) | undefined,
    run: Run,
  ): Promise<Answer | undefined> {
    const { call, cancellation, deadline, waits } = run
    const { name } = candidate
    const unfit = new Set<string>() // keys that are wrong or out of credit: not used again in this call
    let spent = new Set<string>() // keys not used again before the next wait
    let asked = false
    for (let attempt = 1; ; ) {
      const choice = this.pool.choose(candidate, spent)
      if (choice.state !== 'ready') {
        if (asked) return undefined
        const waitMs = choice.state === 'cooling' ? waits.patiently(choice.recoveryMs) : undefined
        if (waitMs !== undefined && (await this.#wait(waitMs, run))) continue
        run.failures.push(notAsked(candidate, choice))
        return undefined
      }
      const outcome = await this.#attempts.make({ call, candidate, key: choice.key, cancellation, mayLeave })
      if (outcome.answer) return outcome.answer
      const { error, silent, cooled } = outcome
      if (cooled) continue
      asked = true
      run.failures.push(this.#failure(name, error))
      if (error.reason === 'bad_request' || (error.reason === 'unsayable' && candidate.chosen)) throw error
      if (call.prompt.state?.starts && mayHaveBegun(error)) throw error
      if (error.reason === 'context') run.refusal.tooLong ??= error
      if (isBlock(error.cause)) run.refusal.blockedAt ??= candidate
      const poor = error.answer && withFacts(error.answer, { provider: name })
      if (deadline.expired || error.refused || silent) return poor
      if (choice.key !== undefined && KEY_FAULTS.has(error.reason)) {
        const { key } = choice.key
        spent.add(key)
        if (error.reason !== 'rate_limited') unfit.add(key)
        if (this.pool.peek(candidate, spent).state === 'ready') continue
      }
      // What was silent once would cost as much time again.
      const isIll = error.reason === 'timeout' || this.circuits.isOpen(name)
      if (attempt >= this.options.maxAttempts || (isIll && mayLeave?.())) return poor
      const keyChoice = choice.key === undefined ? undefined : this.pool.peek(candidate, unfit)
      const waitMs = waits.before(attempt, error, keyChoice)
      if (waitMs === undefined || !(await this.#wait(waitMs, run))) return poor
      spent = new Set(unfit)
      attempt++
    }
  }

  #failure(provider: string, error: ProviderError): Failure {
    const { reason, status, retryAfterMs, detail } = error
    return {
      provider,
      reason,
      error,
      ...(status !== undefined && { status }),
      ...(detail !== undefined && { detail }),
      ...(retryAfterMs !== undefined && { retryAfterMs: this.pool.clamp(retryAfterMs) }),
    }
  }

  /** False when the deadline would pass first. */
  async #wait(ms: number, { deadline, waits, cancellation }: Run): Promise<boolean> {
    const until = this.clock.monotonic() + ms
    if (until >= deadline.at) return false
    await waits.until(until, cancellation.signal)
    return true
  }

  /** Could one of these be asked now? */
  #anyReady(candidates: readonly Candidate[], run: Run): boolean {
    return candidates.some(
      candidate =>
        !isRefused(candidate, run) &&
        !this.circuits.isOpen(candidate.name) &&
        this.pool.peek(candidate).state === 'ready',
    )
  }

  /** The time until the first of the limited providers may be asked again. */
  #recoveryMs(candidates: readonly Candidate[], { failures }: Run): number {
    const waits = candidates.flatMap(candidate => {
      const limit = failures.findLast(
        failure => failure.provider === candidate.name && isLimit(failure) && !neverMends(failure),
      )
      if (!limit) return []
      const keyChoice = this.pool.peek(candidate)
      return [
        keyChoice.state === 'cooling'
          ? keyChoice.recoveryMs
          : this.pool.clamp(limit.retryAfterMs ?? this.options.retryCapMs),
      ]
    })
    return Math.min(...waits)
  }
}

/** Does a refusal elsewhere in the chain hold for this provider, too? */
function isRefused(candidate: Candidate, { listed, refusal: { tooLong, blockedAt } }: Run): boolean {
  if (tooLong && candidate.provider.largerContext !== true) return true
  return blockedAt !== undefined && listed.indexOf(candidate) > listed.indexOf(blockedAt)
}
