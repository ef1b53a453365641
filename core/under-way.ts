/**
 * What is under way, in no order. Not a `Set`: V8 links the tables that a set has grown out of to its present one. A
 * former table in the old generation keeps every later one alive, and all that they name, until a full collection.
 */
export class UnderWay<T> {
  readonly #places: { readonly item: T; at: number }[] = []

  get items(): readonly T[] {
    return this.#places.map(({ item }) => item)
  }

  /** The function given back takes the item away again. */
  add(item: T): () => void {
    const place = { item, at: this.#places.length }
    this.#places.push(place)
    return () => this.#remove(place)
  }

  /** The last one takes the place that is free. */
  #remove(place: { readonly item: T; at: number }): void {
    if (this.#places[place.at] !== place) return
    const last = this.#places.pop()
    if (!last || last === place) return
    last.at = place.at
    this.#places[place.at] = last
  }
}

/**
 * What is under way, each under a key. Every item has a cell, which is emptied when it goes: a map's former tables, which V8
 * keeps as it does those of a set, then hold nothing but empty cells.
 */
export class UnderWayByKey<T> {
  readonly #cells = new Map<string, { item: T | undefined }>()

  get size(): number {
    return this.#cells.size
  }

  get(key: string): T | undefined {
    return this.#cells.get(key)?.item
  }

  /** In place of what was under way under this key. */
  set(key: string, item: T): void {
    this.delete(key)
    this.#cells.set(key, { item })
  }

  delete(key: string): void {
    const cell = this.#cells.get(key)
    if (!cell) return
    cell.item = undefined
    this.#cells.delete(key)
  }
}
