import type { Exchange } from './exchange.ts'

/**
 * What a plugin works out once about an exchange, or keeps from one hook to the next; it goes with the exchange. Not a
 * `WeakMap`: V8 takes its values for alive at every young collection, and with them all that they lead to.
 */
export class Memo<T> {
  readonly #key = Symbol('memo')

  of({ memos }: Pick<Exchange, 'memos'>): T | undefined {
    return memos[this.#key] as T | undefined // only `set` writes there
  }

  set({ memos }: Pick<Exchange, 'memos'>, value: T): void {
    memos[this.#key] = value
  }
}
