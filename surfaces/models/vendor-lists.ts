import { Cancellation, type Host, type Provider, ProviderError, type VendorModel } from 'deflector'

/** How long the first request waits for a list, in milliseconds. */
const PATIENCE = 5_000
/** After a failure a vendor is asked again no sooner, in milliseconds. */
const RETRY = 60_000

interface Known {
  models: readonly VendorModel[]
  /** When it is asked again, on the monotonic clock. */
  until: number
  asking: Promise<void> | undefined
}

export interface Listed {
  /** Instance name. */
  readonly name: string
  readonly provider: Pick<Provider, 'listModels'>
}

/** What the vendors say they have, remembered for a while. One that fails is left out, or told as it was. */
export class VendorLists {
  readonly #known = new Map<string, Known>()

  constructor(
    private readonly host: Pick<Host, 'clock' | 'log'>,
    private readonly listed: readonly Listed[],
    private readonly maxAgeMs: number,
  ) {}

  /** By instance name, in the order of the chain. The first request waits; later ones get the old list meanwhile. */
  async all(): Promise<ReadonlyMap<string, readonly VendorModel[]>> {
    const all = await Promise.all(this.listed.map(async one => [one.name, await this.#of(one)] as const))
    return new Map(all)
  }

  async #of({ name, provider }: Listed): Promise<readonly VendorModel[]> {
    if (!provider.listModels) return []
    const first = !this.#known.has(name)
    const known = this.#known.get(name) ?? { models: [], until: 0, asking: undefined }
    this.#known.set(name, known)
    if (first || this.host.clock.monotonic() >= known.until) known.asking ??= this.#ask(name, provider, known)
    if (known.asking && known.models.length === 0) await known.asking
    return known.models
  }

  async #ask(name: string, provider: Pick<Provider, 'listModels'>, known: Known): Promise<void> {
    const { clock, log } = this.host
    const cancellation = new Cancellation()
    const forget = clock.after(PATIENCE, () =>
      cancellation.cancel(new ProviderError('timeout', 'no list came in time')),
    )
    try {
      known.models = (await cancellation.guard(Promise.resolve(provider.listModels?.(cancellation)))) ?? []
      known.until = clock.monotonic() + this.maxAgeMs
      log.recovered(name, 'a provider lists its models again', { provider: name })
    } catch (error) {
      known.until = clock.monotonic() + RETRY
      const reason = error instanceof Error ? error.message : String(error)
      log.degraded(name, 'a provider does not list its models; the configured ones are listed', {
        provider: name,
        error: reason,
      })
    } finally {
      forget()
      known.asking = undefined
    }
  }
}
