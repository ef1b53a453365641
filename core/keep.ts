interface Kept {
  readonly value: unknown
  readonly dispose: ((value: never) => void | Promise<void>) | undefined
  readonly holders: Set<object>
}

/** What outlives a generation: made once, held as long as some generation asks for the same id. */
export class Keep {
  readonly #kept = new Map<string, Kept>()

  /** What is held, in the order it was asked for. */
  get ids(): readonly string[] {
    return [...this.#kept.keys()]
  }

  hold<T>(holder: object, id: string, create: () => T, dispose?: (value: T) => void | Promise<void>): T {
    const found = this.#kept.get(id)
    if (found) {
      found.holders.add(holder)
      return found.value as T // an id stands for one type: the code that asks for it created it
    }
    const value = create()
    this.#kept.set(id, { value, dispose, holders: new Set([holder]) })
    return value
  }

  /** Lets go of all that `holder` held, last acquired first; what has no holder left is disposed. */
  async release(holder: object): Promise<void> {
    for (const [id, kept] of [...this.#kept].reverse()) {
      if (!kept.holders.delete(holder) || kept.holders.size > 0) continue
      this.#kept.delete(id)
      await kept.dispose?.(kept.value as never)
    }
  }
}
