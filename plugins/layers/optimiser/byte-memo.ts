/**
 * Values in memory up to a number of bytes; those that were not asked for lately go first. They lie in two maps: what is
 * found in the old one moves to the young one, and a full young one takes the old one's place.
 */
export class ByteMemo<T> {
  #young = new Map<string, T>()
  #old = new Map<string, T>()
  #bytes = 0

  /** `sizeOf`: the bytes of a value, without its key. */
  constructor(
    readonly mostBytes: number,
    readonly sizeOf: (value: T) => number,
  ) {}

  get(key: string): T | undefined {
    const known = this.#young.get(key)
    if (known !== undefined) return known
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: string, value: T): void {
    const isNew = !this.#young.has(key)
    this.#young.set(key, value)
    if (isNew) this.grow(2 * key.length + ENTRY + this.sizeOf(value))
  }

  /** A value takes so many bytes more. */
  grow(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= this.mostBytes / 2) return
    this.#old = this.#young
    this.#young = new Map()
    this.#bytes = 0
  }
}

/** What V8 takes for an entry of a map and the head of a string, about. */
const ENTRY = 100
