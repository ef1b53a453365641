/**
 * A typed name under which plugins offer things to each other: cache controls, a bound address, the state for `/health`.
 * Facets match by name, so that a plugin with its own copy of the token's module offers and reads the same one.
 */
export interface Facet<T> {
  readonly name: string
  /** Only for the compiler. */
  readonly value?: (value: T) => T
}

/** A token. `name` is kebab-case and names what is offered: `facet<CacheControls>('cache-controls')`. */
export const facet = <T>(name: string): Facet<T> => ({ name })

/** What the instances of one generation offer. */
export class FacetTable {
  readonly #offered = new Map<string, Map<string, unknown>>()
  readonly #latest: { table: FacetTable | undefined }
  #retired = false

  /** `latest` is one cell for all generations of a gateway: it holds the table of the one that serves. */
  constructor(latest: { table: FacetTable | undefined }) {
    this.#latest = latest
  }

  /** One instance offers one value under a name; the last one counts. */
  offer<T>({ name }: Facet<T>, instance: string, value: T): void {
    const known = this.#offered.get(name) ?? new Map<string, unknown>()
    this.#offered.set(name, known.set(instance, value))
  }

  /** A live view: of this generation, and after a reload of the one that serves. */
  offers<T>(facet: Facet<T>): ReadonlyMap<string, T> {
    return new OfferView(() => this.#now().#of(facet))
  }

  /** This generation serves from now on. */
  serve(): void {
    const { table } = this.#latest
    if (table && table !== this) table.#retired = true
    this.#latest.table = this
  }

  #now(): FacetTable {
    return this.#retired ? (this.#latest.table ?? this) : this
  }

  #of<T>({ name }: Facet<T>): ReadonlyMap<string, T> {
    return (this.#offered.get(name) ?? NONE) as ReadonlyMap<string, T> // the token is the name's type
  }
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>()

class OfferView<T> implements ReadonlyMap<string, T> {
  constructor(private readonly now: () => ReadonlyMap<string, T>) {}

  get size(): number {
    return this.now().size
  }

  get(instance: string): T | undefined {
    return this.now().get(instance)
  }

  has(instance: string): boolean {
    return this.now().has(instance)
  }

  keys(): MapIterator<string> {
    return this.now().keys()
  }

  values(): MapIterator<T> {
    return this.now().values()
  }

  entries(): MapIterator<[string, T]> {
    return this.now().entries()
  }

  [Symbol.iterator](): MapIterator<[string, T]> {
    return this.now().entries()
  }

  forEach(run: (value: T, instance: string, offers: ReadonlyMap<string, T>) => void): void {
    for (const [instance, value] of this.now()) run(value, instance, this)
  }
}
