import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Cancellation, Clock, Log, WritingTask, WrittenText } from 'deflector'
import { type LoadMessage, ModelProcess, type Place } from 'deflector/model-process'
import type { Asked, Ready, Said } from './messages.ts'
import { Refusal } from './refusal.ts'

export interface WritingProcessOptions {
  readonly place: Place
  /** Most tasks that may wait; more are refused. */
  readonly maxQueue: number
  /** A process that writes no token for so long counts as hanging, and is replaced. */
  readonly stallMs: number
  readonly clock: Clock
  readonly log: Log
}

interface Job {
  readonly id: number
  readonly task: WritingTask
  readonly resolve: (written: WrittenText) => void
  readonly reject: (reason: unknown) => void
}

/**
 * The child process that writes, and its queue. It writes one text at a time, and stops between two tokens when its text is
 * not awaited any more. When it dies, every task fails: none can wait for a model to load.
 */
export class WritingProcess {
  readonly #options: WritingProcessOptions
  readonly #process: ModelProcess<LoadMessage, Asked, Ready, Said>
  readonly #queue: Job[] = []
  #current: Job | undefined
  #ids = 0
  #cancelStall: () => void = () => {}

  constructor(options: WritingProcessOptions) {
    this.#options = options
    const { place, clock, log } = options
    // This file is `.ts` in a checkout and `.js` in the package; so is the child's.
    const own = fileURLToPath(import.meta.url)
    this.#process = new ModelProcess({
      work: 'writing',
      module: fileURLToPath(new URL(`./child${extname(own)}`, import.meta.url)),
      load: { type: 'load', place },
      clock,
      log,
      onMessage: said => this.#heard(said),
      onDeath: how => this.#failAll(how),
      onReturn: () => {},
      onLoss: () => {},
    })
  }

  get up(): boolean {
    return this.#process.ready !== undefined
  }

  /** The id of the child process, while there is one. */
  get pid(): number | undefined {
    return this.#process.pid
  }

  /** Resolves when the model is loaded; rejects with `LoadFailure`. */
  start(): Promise<void> {
    return this.#process.start()
  }

  async write(task: WritingTask, cancellation?: Cancellation): Promise<WrittenText> {
    cancellation?.throwIfCancelled()
    const { away } = this.#process
    if (away) throw new Error(away)
    if (this.#queue.length >= this.#options.maxQueue) throw new Error('too many texts wait to be written')
    const id = ++this.#ids
    const written = new Promise<WrittenText>((resolve, reject) => {
      this.#queue.push({ id, task, resolve, reject })
    })
    const forget = cancellation?.onCancel(reason => this.#giveUp(id, reason))
    this.#next()
    try {
      return await written
    } finally {
      forget?.()
    }
  }

  close(): void {
    this.#process.close()
    this.#failAll('the writing process was closed')
  }

  #giveUp(id: number, reason: unknown): void {
    if (this.#current?.id === id) {
      this.#current.reject(reason)
      this.#process.send({ type: 'stop', id })
      return
    }
    const at = this.#queue.findIndex(job => job.id === id)
    for (const job of at < 0 ? [] : this.#queue.splice(at, 1)) job.reject(reason)
  }

  #next(): void {
    if (!this.up || this.#current) return
    this.#current = this.#queue.shift()
    if (!this.#current) return
    const { id, task } = this.#current
    this.#process.send({ type: 'write', id, task })
    this.#watch(id)
  }

  #watch(id: number): void {
    const { clock, stallMs } = this.#options
    this.#cancelStall()
    // The event loop gets one more turn, so that a message which arrived while this process was busy counts.
    this.#cancelStall = clock.after(stallMs, () => setImmediate(() => this.#stalled(id)))
  }

  #stalled(id: number): void {
    if (this.#current?.id === id) this.#process.kill(`wrote nothing for ${this.#options.stallMs} ms`)
  }

  #heard(said: Said): void {
    const job = this.#current
    if (said.id !== job?.id) return
    if (said.type === 'working') {
      this.#watch(said.id)
      return
    }
    this.#cancelStall()
    this.#current = undefined
    if (said.type === 'written') job.resolve(said.written)
    if (said.type === 'refused') job.reject(new Refusal(said.message))
    if (said.type === 'failed') job.reject(new Error(said.message))
    this.#next()
  }

  #failAll(how: string): void {
    this.#cancelStall()
    const jobs = this.#current ? [this.#current, ...this.#queue] : [...this.#queue]
    this.#current = undefined
    this.#queue.length = 0
    for (const job of jobs) job.reject(new Error(how))
  }
}
