import type { Cancellation } from 'deflector'
import type { Dispatcher } from 'undici'

/** Bytes that may wait for a slow reader before the vendor is asked to pause. */
const HIGH_WATER = 256 << 10

export interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/**
 * One reply on its way. undici's own reader makes a node stream for every call, which is as expensive as the call itself;
 * this is a queue of chunks and one waiting reader.
 */
export class Incoming implements Dispatcher.DispatchHandler {
  readonly head: Promise<Head>
  #resolveHead: (head: Head) => void = () => {}
  #rejectHead: (error: unknown) => void = () => {}
  #controller: Dispatcher.DispatchController | undefined
  #chunks: Buffer[] = []
  #waiting = 0
  #wake: (() => void) | undefined
  #ended = false
  #dropping = false
  #error: Error | undefined
  /** Absent while it is cancelled from the first. */
  readonly #stay: (() => void) | undefined

  constructor(cancellation: Cancellation) {
    this.head = new Promise((resolve, reject) => {
      this.#resolveHead = resolve
      this.#rejectHead = reject
    })
    this.#stay = cancellation.onCancel(reason => this.cancel(asError(reason)))
  }

  /** Was there a connection on which the request could be written? */
  get sent(): boolean {
    return this.#controller !== undefined
  }

  get ended(): boolean {
    return this.#ended
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#error) controller.abort(this.#error)
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Head['headers']): void {
    if (status >= 200) this.#resolveHead({ status, headers })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#dropping) return
    this.#chunks.push(chunk)
    this.#waiting += chunk.length
    if (this.#waiting > HIGH_WATER) controller.pause()
    this.#wake?.()
  }

  onResponseEnd(): void {
    this.#end()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#error ??= error
    this.#end()
  }

  /** The chunks that are there. Throws what broke the reply, once all that came before is taken. */
  take(): readonly Buffer[] {
    if (this.#error && this.#chunks.length === 0) throw this.#error
    const chunks = this.#chunks
    this.#chunks = []
    this.#waiting = 0
    if (!this.#error && this.#controller?.paused) this.#controller.resume()
    return chunks
  }

  /** Resolves when there is more to take, or nothing more will come. */
  more(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }

  /** What came together is one chunk: a vendor that marks each event of a stream by itself costs no more than others. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (;;) {
      const [first, ...rest] = this.take()
      if (first) yield rest.length === 0 ? first : Buffer.concat([first, ...rest])
      else if (this.#ended) return
      else await this.more()
    }
  }

  /** Ends the call; the reader gets `reason`. */
  cancel(reason: Error): void {
    if (this.#ended) return
    this.#chunks = []
    this.#error = reason
    this.#end()
    this.#controller?.abort(reason)
  }

  /** What still comes is dropped, so that the connection can be used again. */
  drop(): void {
    this.#dropping = true
    this.#chunks = []
    if (this.#controller?.paused) this.#controller.resume()
  }

  #end(): void {
    this.#ended = true
    this.#stay?.()
    if (this.#error) this.#rejectHead(this.#error)
    this.#wake?.()
  }
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error('the call was given up'))
