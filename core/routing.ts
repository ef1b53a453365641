import type { ErrorDialect, Route, RouteTable } from './call.ts'
import type { Instance } from './pipeline/types.ts'

/** What a parameter is called makes no other path. */
const PARAMETER = /:\w+/g

/** A route, and who offers it. */
export interface Offer {
  readonly route: Route
  readonly by: Instance
}

/** The routes that the surfaces of one generation offer. */
export class Routing implements RouteTable {
  readonly routes: Route[] = []
  readonly #offers: Offer[] = []
  readonly #dialects: { readonly prefix: string; readonly format: ErrorDialect }[] = []

  offer(route: Route, by: Instance): void {
    this.routes.push(route)
    this.#offers.push({ route, by })
  }

  /** Routes that never take a call, each with the one that takes all of theirs. */
  get shadowed(): readonly { readonly offer: Offer; readonly behind: Offer }[] {
    const first = new Map<string, Offer>()
    return this.#offers.flatMap(offer => {
      const { method, path, when } = offer.route
      if (when) return []
      const key = `${method} ${path.replace(PARAMETER, ':')}`
      const behind = first.get(key)
      if (behind) return [{ offer, behind }]
      first.set(key, offer)
      return []
    })
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
