/** Texts that go to the child in one message, at most. */
const TEXTS = 32
/** What a batch may come to, every text counted as long as its longest: to that length all are filled up. */
const CHARS = 8192
/** About 512 tokens; what is longer is cut and costs no more. */
const LONGEST = 2048

/** How many of those who wait go together: a batch takes the child a second at most, even on one slow core. */
export function batchOf(waiting: readonly { readonly text: string }[]): number {
  let longest = 0
  let size = 0
  for (const { text } of waiting) {
    longest = Math.max(longest, Math.min(text.length, LONGEST))
    if (size === TEXTS || (size > 0 && longest * (size + 1) > CHARS)) break
    size++
  }
  return size
}
