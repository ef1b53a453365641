import type { ErrorDialect, Route, RouteTable } from './call.ts'
import type { Instance } from './pipeline/types.ts'

/** What a parameter is called makes no other path. */
/** Not a colon of the path itself, which a pattern escapes. */
const PARAMETER = /(?<!\\):\w+/g

/** A route, and who offers it. */
export interface Offer {
  readonly route: Route
  readonly by: Instance
}

/** A route that never takes a call, and the one that takes all of them. */
export interface Shadowed {
  readonly offer: Offer
  readonly behind: Offer
}

/** The routes that the surfaces of one generation offer. */
export class Routing implements RouteTable {
  readonly routes: Route[] = []
  readonly #offers: Offer[] = []
  /** Which routes each listener serves. */
  readonly #listeners: ((route: Route) => boolean)[] = []
  readonly #dialects: { readonly prefix: string; readonly format: ErrorDialect }[] = []

  offer(given: Omit<Route, 'by' | 'file'>, by: Instance): void {
    const route: Route = { ...given, by: by.name, ...(by.file !== undefined && { file: by.file }) }
    this.routes.push(route)
    this.#offers.push({ route, by })
  }

  /** For a listener that serves all routes. */
  all(): RouteTable {
    this.#listeners.push(() => true)
    return this
  }

  /** For a listener that serves only what these surfaces offer, now and later. */
  only(surfaces: readonly string[]): RouteTable {
    const { routes } = this
    const isServed = ({ by }: Route): boolean => surfaces.includes(by)
    this.#listeners.push(isServed)
    return {
      get routes() {
        return routes.filter(isServed)
      },
      dialectOf: path => this.dialectOf(path),
    }
  }

  /** Routes that never take a call at any listener, each with the one that takes all of theirs. */
  get shadowed(): readonly Shadowed[] {
    const listeners = this.#listeners.length > 0 ? this.#listeners : [() => true]
    const perListener = listeners.map(isServed => {
      const served = this.#offers.filter(({ route }) => isServed(route))
      return { served, shadowed: shadowedAmong(served) }
    })
    const taking = new Set(
      perListener.flatMap(({ served, shadowed }) => served.filter(offer => !shadowed.some(one => one.offer === offer))),
    )
    const all = perListener.flatMap(({ shadowed }) => shadowed).filter(({ offer }) => !taking.has(offer))
    return [...new Map(all.map(one => [one.offer, one])).values()]
  }

  /** Surfaces that offer routes which no listener serves. Empty where no surface has asked for routes to serve. */
  get unserved(): readonly Instance[] {
    if (this.#listeners.length === 0) return []
    const left = this.#offers.filter(({ route }) => !this.#listeners.some(isServed => isServed(route)))
    return [...new Set(left.map(({ by }) => by))]
  }

  claim(prefix: string, format: ErrorDialect): void {
    this.#dialects.push({ prefix, format })
    this.#dialects.sort((a, b) => b.prefix.length - a.prefix.length)
  }

  /** The longest claimed prefix speaks. */
  dialectOf(path: string): ErrorDialect | undefined {
    return this.#dialects.find(({ prefix }) => path.startsWith(prefix))?.format
  }
}

function shadowedAmong(offers: readonly Offer[]): Shadowed[] {
  const first = new Map<string, Offer>()
  return offers.flatMap(offer => {
    const { method, path, when } = offer.route
    if (when) return []
    const key = `${method} ${path.replace(PARAMETER, ':')}`
    const behind = first.get(key)
    if (behind) return [{ offer, behind }]
    first.set(key, offer)
    return []
  })
}
