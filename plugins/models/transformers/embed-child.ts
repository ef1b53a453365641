import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Cancellation, Clock, Log } from 'deflector'
import { ModelProcess, type Place, TextQueue } from 'deflector/model-process'
import { batchOf } from './batch.ts'
import type { Embed, Embedded, Load, Ready } from './messages.ts'

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

/**
 * The child process that embeds, and its queue. The child works on one batch at a time. When it dies or hangs, its batch
 * fails and a new child takes over the queue, at most once a minute. Until then new texts are refused, because a request
 * cannot wait for a model to load.
 */
export class EmbedChild {
  readonly #options: EmbedChildOptions
  readonly #process: ModelProcess<Load, Embed, Ready, Embedded>
  readonly #queue: TextQueue
  #batch = 0
  #cancelTimeout: () => void = () => {}
  /** A caller timed out during the current batch: until the batch is done, new texts are refused. */
  #overdue = false

  constructor(options: EmbedChildOptions) {
    this.#options = options
    const { place, maxTokens, maxQueue, clock, log } = options
    this.#queue = new TextQueue({ texts: maxQueue })
    // This file is `.ts` in a checkout and `.js` in the package; so is the child's.
    const own = fileURLToPath(import.meta.url)
    this.#process = new ModelProcess({
      work: 'embedding',
      module: fileURLToPath(new URL(`./child${extname(own)}`, import.meta.url)),
      load: { type: 'load', place, maxTokens },
      clock,
      log,
      onMessage: message => this.#answered(message),
      onDeath: (how, starting) => this.#died(how, starting),
      onReturn: () => this.#next(),
      onLoss: how => this.#queue.failWaiting(new Error(how)),
    })
  }

  get up(): boolean {
    return this.#process.ready !== undefined
  }

  get dimensions(): number | undefined {
    return this.#process.ready?.dimensions
  }

  /** Reported by the first child; later children load the same files. */
  fingerprint: string | undefined

  /** Resolves when the model is loaded; rejects with `LoadFailure`. */
  async start(): Promise<void> {
    await this.#process.start()
    this.fingerprint = this.#process.ready?.fingerprint
  }

  async embed(texts: readonly string[], cancellation?: Cancellation): Promise<Float32Array[]> {
    cancellation?.throwIfCancelled()
    const { away } = this.#process
    if (away) throw new Error(away)
    if (this.#overdue) throw new Error('the embedding process is late')
    const vectors = this.#queue.add(texts, cancellation)
    const forget = cancellation?.onCancel(reason => {
      const late = reason instanceof Error && reason.name === 'TimeoutError'
      if (late && this.#queue.working > 0) this.#overdue = true
    })
    // After this turn of the event loop, so that its texts form one batch.
    setImmediate(() => this.#next())
    try {
      return await vectors
    } finally {
      forget?.()
    }
  }

  close(): void {
    this.#cancelTimeout()
    this.#process.close()
    const closed = new Error('the embedding process was closed')
    this.#queue.failBatch(closed)
    this.#queue.failWaiting(closed)
  }

  /** The id of the child process, while there is one. */
  get pid(): number | undefined {
    return this.#process.pid
  }

  #next(): void {
    const texts = this.up ? this.#queue.take(batchOf) : []
    if (texts.length === 0) return
    const batch = ++this.#batch
    // The event loop gets one more turn, so that an answer which arrived while this process was busy counts.
    this.#cancelTimeout = this.#options.clock.after(this.#options.batchMs, () => setImmediate(() => this.#late(batch)))
    this.#process.send({ type: 'embed', batch, texts })
  }

  #late(batch: number): void {
    if (batch !== this.#batch || this.#queue.working === 0) return
    this.#process.kill(`gave no answer within ${this.#options.batchMs} ms`)
  }

  #answered(message: Embedded): void {
    if (message.batch !== this.#batch) return
    this.#cancelTimeout()
    this.#overdue = false
    if (message.type === 'failed') this.#queue.failBatch(new Error(message.message))
    else {
      const dimensions = message.vectors.length / this.#queue.working
      // Copies, because a view keeps the whole batch in memory.
      const vectorAt = (at: number) => message.vectors.slice(at * dimensions, (at + 1) * dimensions)
      this.#queue.made(Array.from({ length: this.#queue.working }, (_, at) => vectorAt(at)))
    }
    this.#next()
  }

  #died(how: string, starting: boolean): void {
    this.#cancelTimeout()
    this.#overdue = false
    this.#queue.failBatch(new Error(how))
    if (!starting) this.#queue.failWaiting(new Error(how))
  }
}
