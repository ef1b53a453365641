import { type ChildProcess, fork } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Cancellation, Clock, Log } from 'deflector'
import { batchOf } from './batch.ts'
import type { FromChild, Place, ToChild } from './messages.ts'

/** Shortest time between two restarts of the child. */
const RESPAWN_MS = 60_000
/** Loading takes a second and a download reports its progress, so a silence of this length is a failure. */
const SILENCE_MS = 120_000

export interface EmbedChildOptions {
  readonly place: Place
  readonly maxTokens: number
  /** Most texts that may wait; more are refused. */
  readonly maxQueue: number
  /** A child that takes longer for one batch counts as hanging, and is replaced. */
  readonly batchMs: number
  readonly clock: Clock
  readonly log: Log
}

interface Job {
  readonly text: string
  readonly resolve: (vector: Float32Array) => void
  readonly reject: (reason: unknown) => void
}

interface Running {
  readonly process: ChildProcess
  readonly dimensions: number
  readonly fingerprint: string
}

/** Why the child could not load a model. */
export class LoadFailure extends Error {
  override readonly name = 'LoadFailure'
  constructor(
    readonly why: 'missing_library' | 'broken_library' | 'no_model' | 'crashed' | 'silent',
    message: string,
  ) {
    super(message)
  }
}

/**
 * The child process that embeds, and its queue. The child works on one batch at a time. When it dies or hangs, its batch
 * fails and a new child takes over the queue, at most once a minute. Until then new texts are refused, because a request
 * cannot wait for a model to load.
 */
export class EmbedChild {
  readonly #options: EmbedChildOptions
  readonly #queue: Job[] = []
  #current: readonly Job[] = []
  #batch = 0
  #cancelTimeout: () => void = () => {}
  /** A caller timed out during the current batch: until the batch is done, new texts are refused. */
  #overdue = false
  #hangs = false
  #running: Running | undefined
  #starting: Promise<void> | undefined
  #diedAt = Number.NEGATIVE_INFINITY
  #closed = false

  constructor(options: EmbedChildOptions) {
    this.#options = options
  }

  get up(): boolean {
    return this.#running !== undefined
  }

  get dimensions(): number | undefined {
    return this.#running?.dimensions
  }

  /** Reported by the first child; later children load the same files. */
  fingerprint: string | undefined

  /** Resolves when the model is loaded; rejects with `LoadFailure`. */
  start(): Promise<void> {
    if (this.#running) return Promise.resolve()
    this.#starting ??= this.#spawn().finally(() => {
      this.#starting = undefined
    })
    return this.#starting
  }

  async embed(texts: readonly string[], cancellation?: Cancellation): Promise<Float32Array[]> {
    cancellation?.throwIfCancelled()
    if (!this.#running) throw new Error(`the embedding process is ${this.#revive() ? 'starting' : 'down'}`)
    if (this.#overdue) throw new Error('the embedding process is late')
    if (this.#queue.length + texts.length > this.#options.maxQueue)
      throw new Error('too many texts wait to be embedded')
    const jobs: Job[] = []
    const vectors = texts.map(
      text =>
        new Promise<Float32Array>((resolve, reject) => {
          jobs.push({ text, resolve, reject })
        }),
    )
    this.#queue.push(...jobs)
    const forget = cancellation?.onCancel(reason => {
      const late = reason instanceof Error && reason.name === 'TimeoutError'
      if (late && this.#current.length > 0) this.#overdue = true
      for (const job of jobs) {
        const at = this.#queue.indexOf(job)
        if (at >= 0) this.#queue.splice(at, 1)
        job.reject(reason)
      }
    })
    // After this turn of the event loop, so that its texts form one batch.
    setImmediate(() => this.#next())
    try {
      return await Promise.all(vectors)
    } finally {
      forget?.()
    }
  }

  close(): void {
    this.#closed = true
    this.#cancelTimeout()
    const child = this.#running?.process
    this.#running = undefined
    child?.kill('SIGKILL')
    this.#fail([...this.#current, ...this.#queue.splice(0)], 'the embedding process was closed')
  }

  /** The id of the child process, while there is one. */
  get pid(): number | undefined {
    return this.#running?.process.pid
  }

  #next(): void {
    if (!this.#running || this.#current.length > 0 || this.#queue.length === 0) return
    this.#current = this.#queue.splice(0, batchOf(this.#queue))
    const batch = ++this.#batch
    // The event loop gets one more turn, so that an answer which arrived while this process was busy counts.
    this.#cancelTimeout = this.#options.clock.after(this.#options.batchMs, () => setImmediate(() => this.#late(batch)))
    const message: ToChild = { type: 'embed', batch, texts: this.#current.map(job => job.text) }
    // The exit of a dead child is handled elsewhere, so a failed write is ignored.
    this.#running.process.send(message, () => {})
  }

  /** Kills the child: one that hangs in native code, or is stopped, reacts to no other signal. */
  #late(batch: number): void {
    if (batch !== this.#batch || this.#current.length === 0) return
    this.#hangs = true
    this.#running?.process.kill('SIGKILL')
  }

  #answered(message: FromChild): void {
    if (!('batch' in message) || message.batch !== this.#batch) return
    this.#cancelTimeout()
    this.#overdue = false
    const jobs = this.#current
    this.#current = []
    if (message.type === 'failed') this.#fail(jobs, message.message)
    else {
      const dimensions = message.vectors.length / jobs.length
      // Copies, because a view keeps the whole batch in memory.
      for (const [i, job] of jobs.entries()) job.resolve(message.vectors.slice(i * dimensions, (i + 1) * dimensions))
    }
    this.#next()
  }

  #died(code: number | null, signal: NodeJS.Signals | null): void {
    this.#running = undefined
    this.#cancelTimeout()
    const how = this.#hangs
      ? `the embedding process gave no answer within ${this.#options.batchMs} ms`
      : `the embedding process ended (${signal ?? `exit ${code}`})`
    this.#hangs = false
    this.#overdue = false
    this.#fail(this.#current, how)
    this.#current = []
    if (this.#closed) return
    const restarting = this.#revive()
    this.#options.log.warn(how, { again: restarting })
    if (!restarting) this.#fail(this.#queue.splice(0), how)
  }

  /** Starts a new child unless the last one died within `RESPAWN_MS`. True when a child is starting. */
  #revive(): boolean {
    if (this.#closed) return false
    if (this.#starting) return true
    const now = this.#options.clock.now()
    if (now - this.#diedAt < RESPAWN_MS) return false
    this.#diedAt = now
    this.start().then(
      () => this.#next(),
      (error: Error) => {
        this.#options.log.warn('the embedding process did not start again', { why: error.message })
        this.#fail(this.#queue.splice(0), 'the embedding process is down')
      },
    )
    return true
  }

  #fail(jobs: readonly Job[], message: string): void {
    for (const job of jobs) job.reject(new Error(message))
  }

  #spawn(): Promise<void> {
    const { place, maxTokens, clock } = this.#options
    // This file is `.ts` in a checkout and `.js` in the package; so is the child's.
    const own = fileURLToPath(import.meta.url)
    const file = fileURLToPath(new URL(`./child${extname(own)}`, import.meta.url))
    const child = fork(file, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    let lastMessageAt = clock.now()
    const watch = new AbortController()
    return new Promise<void>((resolve, reject) => {
      const failed = (failure: LoadFailure): void => {
        watch.abort()
        removeListeners(child)
        child.kill('SIGKILL')
        reject(failure)
      }
      const silence = async (): Promise<void> => {
        while (clock.now() - lastMessageAt < SILENCE_MS)
          await clock.sleep(SILENCE_MS - (clock.now() - lastMessageAt), watch.signal)
        failed(new LoadFailure('silent', `it reported nothing for ${SILENCE_MS / 1000} s`))
      }
      silence().catch(() => {})
      const progress = progressLog(this.#options.log)
      child.on('error', error => failed(new LoadFailure('crashed', error.message)))
      child.once('exit', (code, signal) => failed(new LoadFailure('crashed', `it ended with ${signal ?? code}`)))
      child.on('message', (message: FromChild) => {
        lastMessageAt = clock.now()
        if (message.type === 'progress') progress(message.file, message.percent)
        if (message.type === 'unready') failed(new LoadFailure(message.why, message.message))
        if (message.type !== 'ready') return
        watch.abort()
        removeListeners(child)
        if (this.#closed) {
          child.kill('SIGKILL')
          return reject(new LoadFailure('crashed', 'it was closed'))
        }
        child.on('message', (answer: FromChild) => this.#answered(answer))
        child.once('exit', (code, signal) => this.#died(code, signal))
        this.#running = { process: child, dimensions: message.dimensions, fingerprint: message.fingerprint }
        this.fingerprint = message.fingerprint
        resolve()
      })
      const load: ToChild = { type: 'load', place, maxTokens }
      child.send(load)
    })
  }
}

/** Removes only our own listeners: the channel to the child has others that it needs. */
function removeListeners(child: ChildProcess): void {
  for (const event of ['message', 'exit', 'error']) child.removeAllListeners(event)
  child.on('error', () => {})
}

/** Logs one line for every tenth of a file. */
function progressLog(log: Log): (file: string, percent: number) => void {
  const logged = new Map<string, number>()
  return (file, percent) => {
    const tenth = Math.floor(percent / 10)
    if (tenth <= (logged.get(file) ?? 0)) return
    logged.set(file, tenth)
    log.info('downloading the embedding model', { file, percent: tenth * 10 })
  }
}
