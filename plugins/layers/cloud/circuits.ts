import { CircuitBreaker, type Clock, type HostLog, type ProviderReason } from 'deflector'

/** Milliseconds between two probes of a provider at most. */
const LAST_RETRY_MS = 30_000

/** Failures that say that the server is ill. All others are about the request, the key or a limit. */
const ILLNESSES = new Set<ProviderReason>(['overloaded', 'unavailable', 'timeout', 'network', 'protocol'])

/** Whether each provider of a chain is worth asking first, by how its last attempts ended. */
export class Circuits {
  readonly #circuits = new Map<string, Circuit>()

  constructor(
    private readonly clock: Clock,
    private readonly log: HostLog,
    /** Failures in a row that open a circuit; 0 opens none. */
    private readonly most: number,
  ) {}

  /** The providers in the order to be asked: those that failed repeatedly come last, but what a request chose stays first. */
  ordered<T extends { readonly name: string; readonly chosen?: boolean }>(candidates: readonly T[]): readonly T[] {
    if (this.#circuits.size === 0 || candidates.length < 2) return candidates
    const ill = candidates.filter(({ name, chosen }) => chosen !== true && this.isOpen(name))
    return ill.length === 0 ? candidates : [...candidates.filter(each => !ill.includes(each)), ...ill]
  }

  isOpen(name: string): boolean {
    return this.#circuits.get(name)?.isOpen ?? false
  }

  /** `half_open`: one request is awaited, or under way, to show whether it is back. */
  stateOf(name: string): 'closed' | 'open' | 'half_open' {
    return this.#circuits.get(name)?.state ?? 'closed'
  }

  /** An attempt begins. */
  begun(name: string): void {
    this.#circuits.get(name)?.begun()
  }

  /** A stream began, which shows that the provider is there; whether the attempt ends well, its end will show. */
  begins(name: string): void {
    this.#circuits.get(name)?.begins()
  }

  /** An attempt ended well, or with something that only a working server says. */
  answered(name: string): void {
    this.#circuits.get(name)?.answered()
  }

  /** An attempt failed. */
  failed(name: string, reason: ProviderReason, error: unknown): void {
    if (this.most === 0) return
    if (!ILLNESSES.has(reason)) this.answered(name)
    else this.#circuit(name).failed(error)
  }

  /** All clients left before the attempt had ended. */
  abandoned(name: string): void {
    this.#circuits.get(name)?.abandoned()
  }

  dispose(): void {
    for (const circuit of this.#circuits.values()) circuit.dispose()
  }

  #circuit(name: string): Circuit {
    const known = this.#circuits.get(name)
    if (known) return known
    const circuit = new Circuit(name, this.most, this.clock, this.log)
    this.#circuits.set(name, circuit)
    return circuit
  }
}

interface Probe {
  resolve(): void
  reject(error: unknown): void
}

/** A breaker whose probe is a client's request: no request of our own making spends an operator's money. */
class Circuit {
  readonly #breaker: CircuitBreaker
  #failures = 0
  /** Half open: waits for the outcome of the next request. */
  #probe: Probe | undefined
  /** That request is on its way, so others go elsewhere. */
  #probing = false

  constructor(
    name: string,
    private readonly most: number,
    clock: Clock,
    log: HostLog,
  ) {
    const probe = (): Promise<void> =>
      new Promise((resolve, reject) => {
        this.#probe = { resolve, reject }
      })
    this.#breaker = new CircuitBreaker({
      what: 'the provider',
      where: name,
      probe,
      lastRetryMs: LAST_RETRY_MS,
      clock,
      log,
    })
  }

  get isOpen(): boolean {
    return this.#breaker.open && (this.#probe === undefined || this.#probing)
  }

  get state(): 'closed' | 'open' | 'half_open' {
    return this.#breaker.open ? (this.#probe ? 'half_open' : 'open') : 'closed'
  }

  begun(): void {
    if (this.#probe) this.#probing = true
  }

  begins(): void {
    this.#settle()?.resolve()
  }

  answered(): void {
    this.#failures = 0
    this.#breaker.succeeded()
    this.#settle()?.resolve()
  }

  failed(error: unknown): void {
    this.#failures++
    const probe = this.#settle()
    if (probe) probe.reject(error)
    else if (this.#failures >= this.most) this.#breaker.failed(error)
  }

  abandoned(): void {
    this.#probing = false
  }

  dispose(): void {
    this.#breaker.dispose()
  }

  #settle(): Probe | undefined {
    const probe = this.#probe
    this.#probe = undefined
    this.#probing = false
    return probe
  }
}
