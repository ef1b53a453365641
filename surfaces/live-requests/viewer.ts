import type { Outlet } from 'deflector'
import type { LiveRequest } from 'deflector/facets/live-requests'

/** Events that wait for a slow viewer; they are a few hundred bytes each. */
const MOST_WAITING = 256

/** One stream of events. What a slow viewer cannot take is dropped, the oldest first, and counted. */
export class Viewer {
  readonly #outlet: Outlet
  readonly #waiting: string[] = []
  #dropped = 0
  #writing = false

  constructor(outlet: Outlet) {
    this.#outlet = outlet
  }

  show(request: LiveRequest): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#waiting.shift()
      this.#dropped++
    }
    this.#waiting.push(`id: ${request.id}\nevent: request\ndata: ${JSON.stringify(request)}\n\n`)
    if (!this.#writing) void this.#write()
  }

  end(): void {
    this.#waiting.length = 0
    this.#outlet.end()
  }

  async #write(): Promise<void> {
    this.#writing = true
    for (let event = this.#waiting.shift(); event !== undefined; event = this.#waiting.shift()) {
      const dropped = this.#dropped > 0 ? `event: dropped\ndata: {"count":${this.#dropped}}\n\n` : ''
      this.#dropped = 0
      const full = this.#outlet.write(dropped + event)
      if (full) await full
    }
    this.#writing = false
  }
}
