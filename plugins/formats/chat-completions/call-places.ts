/** Which call a piece of a stream belongs to. The index is a call's identity there; not every host sends a right one. */
export class CallPlaces<Call extends { readonly id: string }> {
  readonly all: Call[] = []
  /** The call that stands at each of the host's own indexes at present. */
  readonly #places = new Map<number, Call>()
  readonly #make: (index: number, id: string) => Call

  constructor(make: (index: number, id: string) => Call) {
    this.#make = make
  }

  /** The call of a piece with this index, id and name, as far as it has them. */
  find(index: unknown, id: string, name: string): Call {
    const place = typeof index === 'number' ? index : undefined
    const known = place === undefined ? this.#byId(id) : this.#places.get(place)
    // A host that counts every parallel call as 0 still gives each an id and a name of its own.
    const another = known && id !== '' && known.id !== '' && id !== known.id && name !== ''
    if (known && !another) return known
    const call = this.#make(this.all.length, id)
    this.all.push(call)
    if (place !== undefined) this.#places.set(place, call)
    return call
  }

  /** Without an index: the call with this id, or for a piece that names none the call that came last. */
  #byId(id: string): Call | undefined {
    return id === '' ? this.all.at(-1) : this.all.find(call => call.id === id)
  }
}
