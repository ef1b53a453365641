import type { Clock } from 'deflector'
import type { LiveRequest, LiveRequests } from 'deflector/facets/live-requests'

const SECOND_MS = 1_000
/** From the end of a request until it is told of: by then its cost is booked. */
const BOOKED_MS = 50

/** Those who watch, and how much they are told: so many requests in a second, the others are counted. */
export class Watchers implements LiveRequests {
  readonly #clock: Clock
  readonly #watching = new Set<(request: LiveRequest) => void>()
  #perSecond: number
  #second = 0
  #told = 0
  #skipped = 0

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock
    this.#perSecond = perSecond
  }

  set perSecond(perSecond: number) {
    this.#perSecond = perSecond
  }

  watch(see: (request: LiveRequest) => void): () => void {
    // One function may watch twice.
    const own = (request: LiveRequest): void => see(request)
    this.#watching.add(own)
    return () => void this.#watching.delete(own)
  }

  /**
   * `describe` is called a moment later, and only where somebody is told. No hook catches errors by then, so `failed`
   * gets them. One of `describe` loses the event; one of a watcher loses it for that watcher alone.
   */
  tell(describe: () => Omit<LiveRequest, 'skipped'>, failed: (error: unknown) => void): void {
    if (this.#watching.size === 0) {
      this.#skipped = 0
      return
    }
    if (!this.#mayTell()) {
      this.#skipped++
      return
    }
    const skipped = this.#skipped
    this.#skipped = 0
    this.#clock.after(BOOKED_MS, () => {
      try {
        this.#show({ ...describe(), skipped }, failed)
      } catch (error) {
        this.#skipped += skipped + 1
        failed(error)
      }
    })
  }

  #show(request: LiveRequest, failed: (error: unknown) => void): void {
    for (const see of this.#watching)
      try {
        see(request)
      } catch (error) {
        failed(error)
      }
  }

  #mayTell(): boolean {
    const second = Math.floor(this.#clock.monotonic() / SECOND_MS)
    if (second !== this.#second) this.#told = 0
    this.#second = second
    return this.#told++ < this.#perSecond
  }
}
