/** What is known of a key; found out the first time. */
export function remembered<K, V>(known: Map<K, V>, key: K, find: () => V): V {
  const before = known.get(key)
  if (before !== undefined) return before
  const found = find()
  known.set(key, found)
  return found
}
