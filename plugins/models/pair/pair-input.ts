/** The two texts of a pair as the model reads them. */
export interface PairInput {
  readonly ids: readonly number[]
  /** 0 or 1 for the text a token stands in, and 2 more where the other text has the same token. */
  readonly types: readonly number[]
}

/**
 * `[CLS] first [SEP] second [SEP]`. Which is first depends on the tokens alone, so that exchange of the texts changes
 * nothing.
 */
export function pairInput(
  one: readonly number[],
  other: readonly number[],
  { cls, sep }: { readonly cls: number; readonly sep: number },
): PairInput {
  const [first, second] = isBefore(other, one) ? [other, one] : [one, other]
  const [inFirst, inSecond] = [new Set(first), new Set(second)]
  return {
    ids: [cls, ...first, sep, ...second, sep],
    types: [0, ...first.map(id => (inSecond.has(id) ? 2 : 0)), 0, ...second.map(id => (inFirst.has(id) ? 3 : 1)), 1],
  }
}

/** In the order of a dictionary: by the first token that differs, the shorter of two that do not. */
function isBefore(one: readonly number[], other: readonly number[]): boolean {
  const length = Math.min(one.length, other.length)
  for (let i = 0; i < length; i++) {
    const [mine = 0, theirs = 0] = [one[i], other[i]]
    if (mine !== theirs) return mine < theirs
  }
  return one.length < other.length
}
