import { tracingChannel } from 'node:diagnostics_channel'
import { z } from 'zod'

/** The trace message when an exchange has its answer. */
const ended = z.object({
  exchange: z.object({ layer: z.string() }),
  result: z.object({ facts: z.object({ joined: z.boolean().optional() }) }),
})

/** Counts the cloud calls of the gateway in this process; joined answers make none. */
export class CloudCalls {
  count = 0
  readonly #channel = tracingChannel('deflector:exchange').asyncEnd
  readonly #see = (message: unknown): void => {
    const { success, data } = ended.safeParse(message)
    if (success && data.exchange.layer === 'l3' && !data.result.facts.joined) this.count++
  }

  constructor() {
    this.#channel.subscribe(this.#see)
  }

  stop(): void {
    this.#channel.unsubscribe(this.#see)
  }
}
