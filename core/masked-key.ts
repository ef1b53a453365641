/** Shorter keys could be guessed from their ends. */
const SHORTEST = 16
/** Characters of each end that are shown at most. */
const MOST = 4

/** A key as a person may know it again: its ends, a quarter of it at most; nothing of a short one. */
export function maskedKey(key: string): string {
  if (key.length < SHORTEST) return '…'
  const shown = Math.min(MOST, Math.floor(key.length / 8))
  return `${key.slice(0, shown)}…${key.slice(-shown)}`
}
