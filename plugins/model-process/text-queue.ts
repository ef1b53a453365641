import type { Cancellation } from 'deflector'

interface Job {
  readonly text: string
  readonly resolve: (vector: Float32Array) => void
  readonly reject: (reason: unknown) => void
}

interface Limits {
  /** Most texts that may wait. */
  readonly texts: number
  /** Most characters of all that wait. */
  readonly chars: number
}

/**
 * Texts that wait for a worker which embeds one batch at a time. Those of a cancelled call leave the queue, so that no
 * work is done for them; a batch that was taken is not called back.
 */
export class TextQueue {
  readonly #most: Limits
  readonly #waiting = new Set<Job>()
  #batch: readonly Job[] = []
  #chars = 0

  constructor(most: Partial<Limits>) {
    this.#most = { texts: Number.POSITIVE_INFINITY, chars: Number.POSITIVE_INFINITY, ...most }
  }

  /** Texts of the batch that is with the worker. */
  get working(): number {
    return this.#batch.length
  }

  get empty(): boolean {
    return this.#waiting.size === 0 && this.working === 0
  }

  /** Their vectors. Throws where they are too many for the queue, and rejects with the reason of the cancellation. */
  add(texts: readonly string[], cancellation?: Cancellation): Promise<Float32Array[]> {
    cancellation?.throwIfCancelled()
    const chars = texts.reduce((sum, text) => sum + text.length, 0)
    // A call of long texts that has the queue to itself is what it is.
    const isTooLong = this.#chars + chars > this.#most.chars && !this.empty
    if (isTooLong || this.#waiting.size + texts.length > this.#most.texts)
      throw new Error('too many texts wait to be embedded')
    const jobs: Job[] = []
    const vectors = texts.map(
      text => new Promise<Float32Array>((resolve, reject) => jobs.push({ text, resolve, reject })),
    )
    for (const job of jobs) this.#waiting.add(job)
    this.#chars += chars
    const forget = cancellation?.onCancel(reason => {
      for (const job of jobs) {
        this.#leave(job)
        job.reject(reason)
      }
    })
    return Promise.all(vectors).finally(forget)
  }

  /** The texts of the next batch; none while one is with the worker. `size` says how many of those that wait it has. */
  take(size: (waiting: Iterable<{ readonly text: string }>) => number): string[] {
    if (this.working > 0) return []
    this.#batch = [...take(this.#waiting, size(this.#waiting))]
    for (const job of this.#batch) this.#leave(job)
    return this.#batch.map(({ text }) => text)
  }

  /** The batch's vectors, in order. */
  made(vectors: readonly Float32Array[]): void {
    for (const [at, { resolve, reject }] of this.#taken().entries()) {
      const vector = vectors[at]
      if (vector) resolve(vector)
      else reject(new Error('the embedder gave no vector'))
    }
  }

  failBatch(error: Error): void {
    for (const { reject } of this.#taken()) reject(error)
  }

  failWaiting(error: Error): void {
    const jobs = [...this.#waiting]
    for (const job of jobs) {
      this.#leave(job)
      job.reject(error)
    }
  }

  #taken(): readonly Job[] {
    const jobs = this.#batch
    this.#batch = []
    return jobs
  }

  #leave(job: Job): void {
    if (this.#waiting.delete(job)) this.#chars -= job.text.length
  }
}

function* take<T>(all: Iterable<T>, most: number): Generator<T> {
  let taken = 0
  for (const one of all) {
    if (taken++ >= most) return
    yield one
  }
}
