interface Held {
  readonly value: unknown
  readonly holders: Set<object>
  readonly dispose: ((value: never) => void | Promise<void>) | undefined
}

/** What outlives a reload. Hand the same one to two test hosts to play a reload through. */
export class Kept {
  readonly #held = new Map<string, Held>()

  get ids(): readonly string[] {
    return [...this.#held.keys()]
  }

  hold<T>(holder: object, id: string, create: () => T, dispose?: (value: T) => void | Promise<void>): T {
    const found = this.#held.get(id)
    if (found) {
      found.holders.add(holder)
      return found.value as T // whoever asks for an id made it, so it has that type
    }
    const value = create()
    this.#held.set(id, { value, dispose, holders: new Set([holder]) })
    return value
  }

  async release(holder: object): Promise<void> {
    for (const [id, held] of [...this.#held].reverse()) {
      if (!held.holders.delete(holder) || held.holders.size > 0) continue
      this.#held.delete(id)
      await held.dispose?.(held.value as never)
    }
  }
}
