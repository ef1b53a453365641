import type { ServerResponse } from 'node:http'
import type { Outlet } from 'deflector'

/** Text that waits for the end of this turn is written at once beyond this many characters. */
const FULL = 16_384

export const SSE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/**
 * A server-sent event stream on a reply whose head is written. Text of one turn of the event loop goes out together;
 * while nothing is written `keepAlive` is, but never inside an event and never to a client that does not read.
 */
export class EventStream implements Outlet {
  readonly #response: ServerResponse
  readonly #timer: NodeJS.Timeout
  #text = ''
  #scheduled = true
  #atBoundary = true
  #drained: Promise<void> | undefined
  #ended = false

  constructor(response: ServerResponse, keepAlive: string, keepAliveMs: number) {
    this.#response = response
    this.#timer = setTimeout(() => {
      if (this.#atBoundary && !this.#drained) this.write(keepAlive)
      this.#timer.refresh()
    }, keepAliveMs)
    this.#timer.unref()
    response.once('close', () => this.#close())
    // The head waits for the end of this turn: what is there by then goes out in the same packet.
    process.nextTick(() => this.#flush())
  }

  write(text: string): Promise<void> | undefined {
    if (this.#ended || text === '') return this.#drained
    this.#text += text
    this.#atBoundary = text.endsWith('\n\n') || (this.#atBoundary && text === '\n') || text.endsWith('\r\n\r\n')
    if (this.#text.length >= FULL) this.#flush()
    else if (!this.#scheduled) {
      this.#scheduled = true
      process.nextTick(() => this.#flush())
    }
    this.#timer.refresh()
    return this.#drained
  }

  end(): void {
    if (this.#ended) return
    this.#flush()
    this.#close()
    this.#response.end()
  }

  #flush(): void {
    this.#scheduled = false
    if (this.#ended) return
    if (this.#text === '') {
      this.#response.flushHeaders()
      return
    }
    const text = this.#text
    this.#text = ''
    if (this.#response.write(text) || this.#drained) return
    this.#drained = new Promise(resolve => {
      const done = (): void => {
        this.#response.off('drain', done).off('close', done)
        this.#drained = undefined
        resolve()
      }
      this.#response.on('drain', done).on('close', done)
    })
  }

  #close(): void {
    this.#ended = true
    clearTimeout(this.#timer)
  }
}
