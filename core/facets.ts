import type { Role } from './role.ts'

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

/** An instance, as far as its offers need it. Names are unique within a role. */
interface Offering {
  readonly role: Role
  readonly name: string
}

interface Offer extends Offering {
  readonly value: unknown
}

/** What the instances of one generation offer. */
export class FacetTable {
  readonly #offered = new Map<string, Offer[]>()
  readonly #latest: { table: FacetTable | undefined }
  #retired = false

  /** `latest` is one cell for all generations of a gateway: it holds the table of the one that serves. */
  constructor(latest: { table: FacetTable | undefined } = { table: undefined }) {
    this.#latest = latest
  }

  /** One instance offers one value under a name; the last one counts. */
  offer<T>(token: Facet<T>, { role, name }: Offering, value: T): void {
    const offers = this.#offered.get(token.name) ?? []
    const known = offers.findIndex(one => one.role === role && one.name === name)
    offers.splice(known < 0 ? offers.length : known, 1, { role, name, value })
    this.#offered.set(token.name, offers)
  }

  /** A live view: of this generation, and after a reload of the one that serves. */
  offers<T>(token: Facet<T>, role?: Role): ReadonlyMap<string, T> {
    return new OfferView(() => this.#now().#of(token, role))
  }

  /** Every offer of this generation, without its value. */
  list(): readonly { readonly facet: string; readonly by: Offering }[] {
    return [...this.#offered].flatMap(([facet, offers]) =>
      offers.map(({ role, name }) => ({ facet, by: { role, name } })),
    )
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

  #of<T>({ name }: Facet<T>, role: Role | undefined): ReadonlyMap<string, T> {
    const offers = (this.#offered.get(name) ?? []).filter(offer => role === undefined || offer.role === role)
    return new Map(offers.map(offer => [offer.name, offer.value as T])) // the token is the name's type
  }
}

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
