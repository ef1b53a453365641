import type { Exchange } from './exchange.ts'
import type { Flow } from './flow.ts'
import type { LayerHooks } from './host.ts'
import type { Tapper } from './open-exchange.ts'

type Tap = (flow: Flow) => void

/** What one instance tapped, to be replayed into each flow that lists it. */
export class Taps {
  readonly #taps: Tap[] = []

  constructor(readonly tapper: Tapper) {}

  /** The five hooks as the plugin sees them: `tapPromise` only, so that no promise is mistaken for an answer. */
  readonly hooks: LayerHooks = {
    receive: { tapPromise: (_, run) => this.#record(flow => flow.hooks.receive.tapPromise(this.#options(), run)) },
    answer: { tapPromise: (_, run) => this.#record(flow => flow.hooks.answer.tapPromise(this.#options(), run)) },
    recover: { tapPromise: (_, run) => this.#record(flow => flow.hooks.recover.tapPromise(this.#options(), run)) },
    settle: { tapPromise: (_, run) => this.#record(flow => flow.hooks.settle.tapPromise(this.#options(), run)) },
    finish: {
      tap: (_, run: (exchange: Exchange) => void) => this.#record(flow => flow.hooks.finish.tap(this.#options(), run)),
    },
  }

  replay(flow: Flow): void {
    for (const tap of this.#taps) tap(flow)
  }

  #record(tap: Tap): void {
    this.#taps.push(tap)
  }

  /** tapable hands these to the interceptor in `taps.ts`. The instance's name counts, not what the plugin wrote. */
  #options(): { name: string; tapper: Tapper } {
    return { name: this.tapper.name, tapper: this.tapper }
  }
}
