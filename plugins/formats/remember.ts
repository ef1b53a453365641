/**
 * A function with its results in memory, for short texts of clients that come again with every request. At most `2 * most`
 * of them are kept; those that were not asked for lately go first.
 */
export function remember<T extends string | boolean>(of: (text: string) => T, most = 500): (text: string) => T {
  let young = new Map<string, T>()
  let old = new Map<string, T>()
  return text => {
    const known = young.get(text)
    if (known !== undefined) return known
    const result = old.get(text) ?? of(text)
    if (young.size >= most) {
      old = young
      young = new Map()
    }
    young.set(text, result)
    return result
  }
}
