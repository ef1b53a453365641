/** Most texts in one message to the child. */
const TEXTS = 32
/** Most characters of a batch. Every text counts as its longest, because all are padded to that length. */
const CHARS = 8192
/** About 512 tokens; longer texts are cut to that. */
const LONGEST = 2048

/** Number of waiting texts for the next batch, which takes at most a second even on one slow core. */
export function batchOf(waiting: Iterable<{ readonly text: string }>): number {
  let longest = 0
  let size = 0
  for (const { text } of waiting) {
    longest = Math.max(longest, Math.min(text.length, LONGEST))
    if (size === TEXTS || (size > 0 && longest * (size + 1) > CHARS)) break
    size++
  }
  return size
}
