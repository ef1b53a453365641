import { type ChildProcess, fork } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Cancellation, Clock, Log } from 'deflector'
import { batchOf } from './batch.ts'
import type { FromChild, Place, ToChild } from './messages.ts'

/** A child that dies this soon after the last one did is not replaced before the time is over. */
const RESPAWN_MS = 60_000
/** Loading takes a second; a download says where it is. Silence for this long is a failure. */
const SILENCE_MS = 120_000

export interface EmbedChildGiven {
  readonly place: Place
  readonly maxTokens: number
  /** Texts that may wait; more are refused. */
  readonly maxQueue: number
  /** A child that takes longer for one batch hangs, and is replaced. */
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

/** Why a model could not be loaded, as the child found it. */
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
 * The child process that embeds, and the queue in front of it. One batch is with the child at a time; what arrives
 * meanwhile is the next. When the child dies or hangs, the texts it had fail and a new child takes the queue over, once a
 * minute; until it is ready nothing more is taken in, because nobody waits for a model to load.
 */
export class EmbedChild {
  readonly #given: EmbedChildGiven
  readonly #queue: Job[] = []
  #atWork: readonly Job[] = []
  #batch = 0
  #inTime: () => void = () => {}
  /** Somebody gave up waiting during the batch at work: until it is back, nobody else is made to wait. */
  #overdue = false
  #hangs = false
  #running: Running | undefined
  #starting: Promise<void> | undefined
  #diedAt = Number.NEGATIVE_INFINITY
  #closed = false

  constructor(given: EmbedChildGiven) {
    this.#given = given
  }

  get up(): boolean {
    return this.#running !== undefined
  }

  get dimensions(): number | undefined {
    return this.#running?.dimensions
  }

  /** As the first child told it; a later one loads the same files. */
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
    if (this.#queue.length + texts.length > this.#given.maxQueue) throw new Error('too many texts wait to be embedded')
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
      if (late && this.#atWork.length > 0) this.#overdue = true
      for (const job of jobs) {
        const at = this.#queue.indexOf(job)
        if (at >= 0) this.#queue.splice(at, 1)
        job.reject(reason)
      }
    })
    // What is asked within one turn of the event loop goes together.
    setImmediate(() => this.#next())
    try {
      return await Promise.all(vectors)
    } finally {
      forget?.()
    }
  }

  close(): void {
    this.#closed = true
    this.#inTime()
    const child = this.#running?.process
    this.#running = undefined
    child?.kill('SIGKILL')
    this.#fail([...this.#atWork, ...this.#queue.splice(0)], 'the embedding process was closed')
  }

  /** The id of the child process, while there is one. */
  get pid(): number | undefined {
    return this.#running?.process.pid
  }

  #next(): void {
    if (!this.#running || this.#atWork.length > 0 || this.#queue.length === 0) return
    this.#atWork = this.#queue.splice(0, batchOf(this.#queue))
    const batch = ++this.#batch
    // An answer that came while this process was too busy to read it counts: the event loop gets one more turn.
    this.#inTime = this.#given.clock.after(this.#given.batchMs, () => setImmediate(() => this.#late(batch)))
    const message: ToChild = { type: 'embed', batch, texts: this.#atWork.map(job => job.text) }
    // A child that just died says so by its exit; that it cannot be written to is no second failure.
    this.#running.process.send(message, () => {})
  }

  /** A child that hangs in native code, or is stopped, hears nothing but this. */
  #late(batch: number): void {
    if (batch !== this.#batch || this.#atWork.length === 0) return
    this.#hangs = true
    this.#running?.process.kill('SIGKILL')
  }

  #answered(message: FromChild): void {
    if (!('batch' in message) || message.batch !== this.#batch) return
    this.#inTime()
    this.#overdue = false
    const jobs = this.#atWork
    this.#atWork = []
    if (message.type === 'failed') this.#fail(jobs, message.message)
    else {
      const dimensions = message.vectors.length / jobs.length
      // Copies: a view would hold the whole batch in memory for as long as one of its vectors is kept.
      for (const [i, job] of jobs.entries()) job.resolve(message.vectors.slice(i * dimensions, (i + 1) * dimensions))
    }
    this.#next()
  }

  #died(code: number | null, signal: NodeJS.Signals | null): void {
    this.#running = undefined
    this.#inTime()
    const how = this.#hangs
      ? `the embedding process gave no answer within ${this.#given.batchMs} ms`
      : `the embedding process ended (${signal ?? `exit ${code}`})`
    this.#hangs = false
    this.#overdue = false
    this.#fail(this.#atWork, how)
    this.#atWork = []
    if (this.#closed) return
    const again = this.#revive()
    this.#given.log.warn(how, { again })
    if (!again) this.#fail(this.#queue.splice(0), how)
  }

  /** Starts a new child unless the last one died a moment ago. True when one is on its way. */
  #revive(): boolean {
    if (this.#closed) return false
    if (this.#starting) return true
    const now = this.#given.clock.now()
    if (now - this.#diedAt < RESPAWN_MS) return false
    this.#diedAt = now
    this.start().then(
      () => this.#next(),
      (error: Error) => {
        this.#given.log.warn('the embedding process did not start again', { why: error.message })
        this.#fail(this.#queue.splice(0), 'the embedding process is down')
      },
    )
    return true
  }

  #fail(jobs: readonly Job[], message: string): void {
    for (const job of jobs) job.reject(new Error(message))
  }

  #spawn(): Promise<void> {
    const { place, maxTokens, clock } = this.#given
    // This file is `.ts` in a checkout and `.js` in the package; so is the child's.
    const own = fileURLToPath(import.meta.url)
    const file = fileURLToPath(new URL(`./child${extname(own)}`, import.meta.url))
    const child = fork(file, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    let heard = clock.now()
    const watch = new AbortController()
    return new Promise<void>((resolve, reject) => {
      const failed = (failure: LoadFailure): void => {
        watch.abort()
        deafen(child)
        child.kill('SIGKILL')
        reject(failure)
      }
      const silence = async (): Promise<void> => {
        while (clock.now() - heard < SILENCE_MS) await clock.sleep(SILENCE_MS - (clock.now() - heard), watch.signal)
        failed(new LoadFailure('silent', `nothing was heard for ${SILENCE_MS / 1000} s`))
      }
      silence().catch(() => {})
      const progress = progressLog(this.#given.log)
      child.on('error', error => failed(new LoadFailure('crashed', error.message)))
      child.once('exit', (code, signal) => failed(new LoadFailure('crashed', `it ended with ${signal ?? code}`)))
      child.on('message', (message: FromChild) => {
        heard = clock.now()
        if (message.type === 'progress') progress(message.file, message.percent)
        if (message.type === 'unready') failed(new LoadFailure(message.why, message.message))
        if (message.type !== 'ready') return
        watch.abort()
        deafen(child)
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

/** Takes our own listeners off; the channel to the child has others, without which it falls silent. */
function deafen(child: ChildProcess): void {
  for (const event of ['message', 'exit', 'error']) child.removeAllListeners(event)
  child.on('error', () => {})
}

/** A line at every tenth of a file. */
function progressLog(log: Log): (file: string, percent: number) => void {
  const told = new Map<string, number>()
  return (file, percent) => {
    const tenth = Math.floor(percent / 10)
    if (tenth <= (told.get(file) ?? 0)) return
    told.set(file, tenth)
    log.info('downloading the embedding model', { file, percent: tenth * 10 })
  }
}
