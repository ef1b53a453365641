/** A call that undici has under way, as far as its handler sees it. */
export class Controller {
  paused = false
  aborted = false
  reason: Error | null = null
  rawHeaders = null
  rawTrailers = null

  pause(): void {
    this.paused = true
  }

  resume(): void {
    this.paused = false
  }

  abort(reason: Error): void {
    this.aborted = true
    this.reason = reason
  }
}
