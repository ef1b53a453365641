import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Cancellation } from 'deflector'
import { TextQueue } from 'deflector/model-process'
import type { FromThread, ToThread } from './thread.ts'

/** This file is `.ts` in a checkout and `.js` in the package; so is that one. */
const THREAD = new URL(`./thread${extname(fileURLToPath(import.meta.url))}`, import.meta.url)

/** Most characters that wait, about half a second of work. */
const MOST_WAITING = 16 << 20
/** Characters after which a batch is full: a few milliseconds, which cannot be called back. */
const BATCH = 1 << 18
const TEXTS_PER_BATCH = 256

/** No thread can be started, or it gave no vector. */
export class NoThread extends Error {
  override readonly name = 'NoThread'
}

/**
 * A static model on a thread of its own, so that a long text never keeps the gateway busy. The thread starts with the
 * first text. One that ends fails what waits for it, and the next text starts another, unless it never gave a vector.
 */
export class EmbeddingThread {
  readonly #folder: string
  readonly #queue = new TextQueue({ chars: MOST_WAITING })
  #worker: Worker | undefined
  /** A thread that has not given a vector would not do so the next time either. */
  #unfit: NoThread | undefined
  #closed: Error | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Rejects with `NoThread` where none will ever give a vector. */
  async embed(texts: readonly string[], cancellation?: Cancellation): Promise<Float32Array[]> {
    if (this.#closed) throw this.#closed
    if (this.#unfit) throw this.#unfit
    const vectors = this.#queue.add(texts, cancellation)
    this.#next()
    return vectors
  }

  async close(): Promise<void> {
    this.#closed = new Error('the embedding thread was closed')
    this.#queue.failBatch(this.#closed)
    this.#queue.failWaiting(this.#closed)
    await this.#worker?.terminate()
  }

  #next(): void {
    const texts = this.#queue.take(batchOf)
    if (texts.length === 0) return
    try {
      this.#worker ??= this.#started()
      // A thread that is awaited keeps the process alive, an idle one does not.
      this.#worker.ref()
      this.#worker.postMessage(texts satisfies ToThread)
    } catch (error) {
      this.#fail(this.#worker, asError(error), false)
    }
  }

  #started(): Worker {
    // Its output would be that of what the gateway was started with.
    const worker = new Worker(THREAD, { workerData: { folder: this.#folder }, stdout: true, stderr: true })
    let hasAnswered = false
    worker.on('message', (vectors: FromThread) => {
      hasAnswered = true
      this.#queue.made(vectors)
      this.#next()
      // While it is being closed, its end is awaited.
      if (this.#queue.empty && !this.#closed) worker.unref()
    })
    worker.once('error', error => this.#fail(worker, asError(error), hasAnswered))
    worker.once('exit', () => this.#fail(worker, new Error('the embedding thread has ended'), hasAnswered))
    return worker
  }

  /** The thread has ended, or could not be started. */
  #fail(worker: Worker | undefined, error: Error, hasAnswered: boolean): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    if (!hasAnswered) this.#unfit = new NoThread(error.message, { cause: error })
    const why = this.#unfit ?? error
    this.#queue.failBatch(why)
    this.#queue.failWaiting(why)
  }
}

/** How many of those that wait make a batch. */
function batchOf(waiting: Iterable<{ readonly text: string }>): number {
  let chars = 0
  let texts = 0
  for (const { text } of waiting) {
    chars += text.length
    if (texts > 0 && (chars > BATCH || texts === TEXTS_PER_BATCH)) break
    texts++
  }
  return texts
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
