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
