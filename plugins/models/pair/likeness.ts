/** Cheap likeness of two texts, each number between 0 and 1, and the same when they change places. */
export interface Likeness {
  /** Word pieces that both have, of all that one has (Jaccard). */
  readonly shared: number
  /** Of the text with fewer different pieces: the share that the other one has too. */
  readonly contained: number
  /** Pieces of the shorter text by those of the longer one. */
  readonly length: number
}

/** `weak`: pieces that say little by themselves, such as grammar and punctuation. */
export function likenessOf(one: readonly number[], other: readonly number[], weak: ReadonlySet<number>): Likeness {
  const [left, right] = [strong(one, weak), strong(other, weak)]
  let both = 0
  for (const id of left) if (right.has(id)) both++
  const [least, all] = [Math.min(left.size, right.size), left.size + right.size - both]
  const [short, long] = [Math.min(one.length, other.length), Math.max(one.length, other.length)]
  return {
    shared: all === 0 ? 1 : both / all,
    contained: least === 0 ? 1 : both / least,
    length: long === 0 ? 1 : short / long,
  }
}

function strong(ids: readonly number[], weak: ReadonlySet<number>): ReadonlySet<number> {
  const found = new Set<number>()
  for (const id of ids) if (!weak.has(id)) found.add(id)
  return found
}
