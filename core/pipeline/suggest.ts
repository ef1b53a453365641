/** How many letters must be changed, added, left out or swapped with their neighbour. */
export function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, at) => at)]
  const cell = (row: number, at: number): number => rows[row]?.[at] ?? 0
  for (let row = 1; row <= from.length; row++) {
    const line = [row]
    rows[row] = line
    for (let at = 1; at <= to.length; at++) {
      const same = from[row - 1] === to[at - 1]
      const swapped = row > 1 && at > 1 && from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1]
      const ways = [cell(row - 1, at - 1) + (same ? 0 : 1), cell(row - 1, at) + 1, cell(row, at - 1) + 1]
      line[at] = Math.min(...ways, ...(swapped ? [cell(row - 2, at - 2) + 1] : []))
    }
  }
  return cell(from.length, to.length)
}

/**
 * The candidate that was probably meant, if one is near enough: a third of the letters may be wrong, or the table before
 * the right word (`port` for `server.port`).
 */
export function suggest(name: string, candidates: Iterable<string>): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const last = (text: string): string => plain(text.split(/\.|__/).at(-1) ?? '')
  let best: string | undefined
  let distance = Math.max(1, Math.floor(name.length / 3)) + 0.5
  for (const candidate of candidates) {
    const letters = editDistance(plain(name), plain(candidate))
    const found = last(name) !== '' && last(name) === last(candidate) ? Math.min(letters, 1) : letters
    if (found < distance) {
      best = candidate
      distance = found
    }
  }
  return best
}

/** `; did you mean "cloud"?`, or nothing. Goes at the end of a message. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const meant = suggest(name, candidates)
  return meant === undefined ? '' : `; did you mean "${meant}"?`
}
