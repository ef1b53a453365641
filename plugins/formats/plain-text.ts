/** A list of one plain text block says no more than its text: clients switch between the two from turn to turn. */
export function plainText(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length !== 1) return undefined
  const block: unknown = value[0]
  if (typeof block !== 'object' || block === null || !('type' in block) || block.type !== 'text') return undefined
  if (!('text' in block) || typeof block.text !== 'string') return undefined
  for (const field of Object.keys(block)) {
    if (field !== 'type' && field !== 'text' && field !== 'cache_control') return undefined
  }
  return block.text
}
