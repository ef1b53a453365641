import { type Block, Slab } from './slab.ts'

/** The memory of all partitions of a layer: slabs are added on demand and removed when they are empty. */
export class Arena {
  readonly #slabs: Slab[]

  private constructor(first: Slab) {
    this.#slabs = [first]
  }

  /** `undefined` where there is no SIMD. */
  static open(): Arena | undefined {
    const first = Slab.open()
    return first && new Arena(first)
  }

  /** Takes a block from the first slab that has one, so that the last slabs become empty. */
  take(): Block | undefined {
    for (const slab of this.#slabs) {
      const block = slab.take()
      if (block) return block
    }
    const slab = Slab.open()
    if (!slab) return undefined
    this.#slabs.push(slab)
    return slab.take()
  }

  give(block: Block): void {
    block.slab.give(block)
    if (block.slab.isEmpty && this.#slabs.length > 1) this.#slabs.splice(this.#slabs.indexOf(block.slab), 1)
  }

  get slabs(): number {
    return this.#slabs.length
  }
}
