/** How far a limit is used: near it by the share that warns, or past it. */
export type Level = 'near' | 'at'

const ORDER: readonly Level[] = ['near', 'at']

/** Which thresholds the log was told of, so that it is told once for each window. */
export class Thresholds {
  readonly #told = new Map<string, { readonly level: Level; readonly endsAt: number }>()

  /** Is it the first time that this counter gets so far? `endsAt`: the end of its window. */
  crosses(key: string, level: Level, endsAt: number): boolean {
    const told = this.#told.get(key)
    if (told && ORDER.indexOf(told.level) >= ORDER.indexOf(level)) return false
    // Counters of a window have names of their own, so those of ended ones are never asked for again.
    const prefix = key.slice(0, key.lastIndexOf('|'))
    for (const [old, { endsAt: ended }] of this.#told)
      if (old !== key && ended < endsAt && old.startsWith(`${prefix}|`)) this.#told.delete(old)
    this.#told.set(key, { level, endsAt })
    return true
  }

  get size(): number {
    return this.#told.size
  }
}
