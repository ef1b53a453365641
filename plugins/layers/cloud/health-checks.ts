import { Cancellation, type Clock, type HostLog, ProviderError } from 'deflector'
import type { ProviderCheck, ProviderEndpoint } from 'deflector/facets/provider-endpoint'
import type { ProviderStatuses } from 'deflector/facets/provider-status'

/** Longest time that one look may take, in milliseconds. */
const PATIENCE = 10_000

/**
 * Looks at the endpoint of each provider from time to time, one after the other. It reads lists and generates nothing;
 * providers without a list are left out, and their health follows traffic. No quota, cooldown or circuit hears of it.
 */
export class HealthChecks {
  #stopped = false
  #running: Cancellation | undefined
  #forget: () => void = () => {}

  constructor(
    private readonly clock: Clock,
    private readonly log: HostLog,
    private readonly names: readonly string[],
    private readonly endpoints: ReadonlyMap<string, ProviderEndpoint>,
    private readonly statuses: Pick<ProviderStatuses, 'checked'>,
    private readonly intervalMs: number,
  ) {}

  start(): void {
    if (this.intervalMs === 0 || this.#stopped) return
    // Gateways that were started together do not come together.
    this.#later(this.intervalMs * (0.9 + this.clock.random() / 10))
  }

  stop(): void {
    this.#stopped = true
    this.#forget()
    this.#running?.cancel(new ProviderError('timeout', 'the gateway has other providers now'))
  }

  #later(ms: number): void {
    if (!this.#stopped) this.#forget = this.clock.after(ms, () => void this.#all())
  }

  async #all(): Promise<void> {
    for (const name of this.names) {
      const endpoint = this.endpoints.get(name)
      if (endpoint?.showsKey && !this.#stopped) await this.#look(name, endpoint)
    }
    this.#later(this.intervalMs)
  }

  async #look(name: string, endpoint: ProviderEndpoint): Promise<void> {
    const cancellation = new Cancellation()
    this.#running = cancellation
    const late = new ProviderError('timeout', `no reply within ${PATIENCE / 1000} s`)
    const forget = this.clock.after(PATIENCE, () => cancellation.cancel(late))
    try {
      this.#tell(name, await cancellation.guard(endpoint.check(cancellation)))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#tell(name, {
        reachable: false,
        authorized: undefined,
        latencyMs: PATIENCE,
        status: undefined,
        error: reason,
      })
    } finally {
      forget()
      this.#running = undefined
    }
  }

  #tell(name: string, check: ProviderCheck): void {
    if (this.#stopped) return
    this.statuses.checked(name, check)
    const { status, error } = check
    const key = `check ${name}`
    if (error === undefined) this.log.recovered(key, 'a provider is well again', { provider: name })
    else this.log.degraded(key, 'a health check failed', { provider: name, status, error })
  }
}
