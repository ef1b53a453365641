import { tracingChannel } from 'node:diagnostics_channel'
import { z } from 'zod'

/** What is published when an exchange has its answer. */
const ended = z.object({
  exchange: z.object({ layer: z.string() }),
  result: z.object({ facts: z.object({ joined: z.boolean().optional() }) }),
})

/** Counts the calls that the gateway of this process makes to its cloud: an answer that was joined cost none. */
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
