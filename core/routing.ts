import type { Format } from './format.ts'
import type { Route, RouteTable } from './host.ts'

type Dialect = Pick<Format, 'encodeError'>

/** The routes that the surfaces of one generation offer. */
export class Routing implements RouteTable {
  readonly routes: Route[] = []
  readonly #dialects: { readonly prefix: string; readonly format: Dialect }[] = []

  claim(prefix: string, format: Dialect): void {
    this.#dialects.push({ prefix, format })
    this.#dialects.sort((a, b) => b.prefix.length - a.prefix.length)
  }

  /** The longest claimed prefix speaks. */
  dialectOf(path: string): Dialect | undefined {
    return this.#dialects.find(({ prefix }) => path.startsWith(prefix))?.format
  }
}
