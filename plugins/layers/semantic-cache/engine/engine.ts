import type { Clock, HostLog } from 'deflector'
import { EngineChild } from './engine-child.ts'
import { Lookups, type Result } from './lookups.ts'
import type { FromEngine, LookupMessage, Parts } from './messages.ts'
import { type EntrySource, WriteBack } from './write-back.ts'

/** Longest time that a start waits for the engine; one that takes longer begins with misses. */
const START_WAIT_MS = 3000
/** One that is not ready by then hangs. */
const START_LIMIT_MS = 60_000
/** An engine that owes an answer and says nothing for so long hangs. */
const SILENCE_MS = 5000
/** Time before a restart: doubled each time up to the longest, until an engine has lasted for that long. */
const SHORTEST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000

/** How the engine is. `unready`: it could not make its models at its first start, and said why. */
export type EngineState = 'off' | 'starting' | 'up' | 'down' | 'unready' | 'closed'

export type Wanted = Omit<LookupMessage, 'id'>

export interface EngineContext {
  readonly parts: Parts
  readonly clock: Clock
  readonly log: HostLog
}

/**
 * The semantic engine as the gateway sees it: asked, fed, and restarted when it dies or hangs. Nothing that happens to it
 * fails a request: a lookup without a result is a miss.
 */
export class Engine {
  readonly #context: EngineContext
  readonly #lookups: Lookups
  readonly #writeBack: WriteBack
  #source: EntrySource | undefined
  #child: EngineChild | undefined
  #state: EngineState = 'off'
  #settled: (() => void)[] = []
  #cancelTimer: () => void = () => {}
  #pauseMs = SHORTEST_PAUSE_MS
  #startedAt = 0
  /** Was it ever up? Models that it could make once it can make again. */
  #worked = false
  /** When the engine was last heard, or was first owed something. */
  #heardAt = 0

  constructor(context: EngineContext) {
    this.#context = context
    this.#lookups = new Lookups(context.clock, id => {
      this.#child?.sendLater({ is: 'forget', id })
      this.#endIfSilent()
    })
    this.#writeBack = new WriteBack(add => this.#child?.sendLater({ is: 'add', ...add }))
  }

  get state(): EngineState {
    return this.#state
  }

  /** Id of the child process, while there is one. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Resolves when the engine is ready, cannot be, or takes longer than a start should. */
  start(): Promise<void> {
    if (this.#state === 'off' || this.#state === 'unready') this.#spawn()
    if (this.#state !== 'starting') return Promise.resolve()
    const patience = this.#context.clock.patience(START_WAIT_MS)
    return new Promise(resolve => {
      const timer = patience < Number.POSITIVE_INFINITY ? setTimeout(resolve, patience) : undefined
      this.#settled.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  /** Indexes these entries from now on, and no others. */
  follow(source: EntrySource | undefined): void {
    this.#source = source
    this.clear()
    if (this.#state === 'up') this.#writeBack.rebuild(source)
  }

  /** What is near, or why nobody knows, within `waitMs`. */
  lookup(wanted: Wanted, waitMs: number): Promise<Result> | Result {
    const child = this.#child
    if (this.#state !== 'up' || !child) return 'down'
    const patience = this.#context.clock.patience(waitMs)
    if (!this.#lookups.admits(patience)) {
      this.#endIfSilent()
      return 'busy'
    }
    if (this.#lookups.owed === 0) this.#heardAt = this.#context.clock.monotonic()
    return this.#lookups.open(patience, id => child.send({ is: 'lookup', id, ...wanted }))
  }

  add(handle: number): void {
    if (this.#state === 'up') this.#writeBack.add(handle)
  }

  remove(handle: number): void {
    this.#writeBack.remove(handle)
    if (this.#state === 'up') this.#child?.sendLater({ is: 'remove', handle })
  }

  clear(): void {
    this.#writeBack.clear()
    if (this.#state === 'up') this.#child?.send({ is: 'clear' })
  }

  close(): void {
    this.#state = 'closed'
    this.#cancelTimer()
    this.#child?.kill()
    this.#child = undefined
    this.#lookups.abandon()
    this.#settle()
  }

  #spawn(): void {
    const { parts } = this.#context
    this.#state = 'starting'
    let child: EngineChild
    try {
      child = new EngineChild(parts, {
        message: message => {
          if (this.#child === child) this.#receive(message)
        },
        ended: how => {
          if (this.#child === child) this.#ended(how)
        },
      })
    } catch (error) {
      this.#ended(error instanceof Error ? error.message : String(error))
      return
    }
    this.#child = child
    const limit = setTimeout(() => child.kill(), START_LIMIT_MS)
    this.#cancelTimer = () => clearTimeout(limit)
  }

  #receive(message: FromEngine): void {
    this.#heardAt = this.#context.clock.monotonic()
    switch (message.is) {
      case 'answer':
        this.#lookups.close(message.id, message.considered)
        break
      case 'failed': {
        this.#lookups.close(message.id, 'failed')
        const said = 'the semantic engine fails at a lookup; requests go on without it'
        this.#context.log.degraded('lookup', said, { error: message.reason })
        break
      }
      case 'forgotten':
        this.#lookups.drop(message.id)
        break
      case 'added':
        this.#writeBack.done(message.count)
        break
      case 'expired':
        this.#source?.expire(message.handle)
        break
      case 'ready':
        this.#ready()
        break
      case 'unready':
        this.#unready(message.reason)
    }
  }

  #ready(): void {
    const { clock, log } = this.#context
    this.#cancelTimer()
    this.#state = 'up'
    this.#worked = true
    this.#startedAt = clock.monotonic()
    this.#writeBack.restart(this.#source)
    log.recovered('engine', 'the semantic engine works again')
    this.#settle()
  }

  #unready(reason: string): void {
    this.#child?.kill()
    if (this.#worked) this.#ended(reason)
    else {
      this.#cancelTimer()
      this.#child = undefined
      this.#state = 'unready'
      this.#context.log.warn(`the semantic cache finds no prompts in other words: ${reason}`)
      this.#settle()
    }
  }

  #ended(how: string): void {
    const { clock, log } = this.#context
    this.#cancelTimer()
    this.#child = undefined
    if (this.#state === 'up' && clock.monotonic() - this.#startedAt >= LONGEST_PAUSE_MS)
      this.#pauseMs = SHORTEST_PAUSE_MS
    this.#state = 'down'
    const pauseMs = this.#pauseMs
    this.#pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
    this.#lookups.abandon()
    log.degraded('engine', 'the semantic engine is restarted; until then no prompts in other words are found', {
      why: how,
      pause_ms: pauseMs,
    })
    this.#cancelTimer = clock.after(pauseMs, () => this.#spawn())
    this.#settle()
  }

  #endIfSilent(): void {
    if (this.#lookups.owed > 0 && this.#context.clock.monotonic() - this.#heardAt > SILENCE_MS) this.#child?.kill()
  }

  #settle(): void {
    for (const settled of this.#settled.splice(0)) settled()
  }
}
