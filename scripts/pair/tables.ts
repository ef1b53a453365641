/** A Markdown table that can be read as it is: the first column to the left, all others to the right. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [head, ...rows].map(cells => cells.map(cell => String(cell).replaceAll('|', '\\|')))
  const widths = head.map((_, i) => Math.max(3, ...lines.map(cells => cells[i]?.length ?? 0)))
  const padded = (cells: readonly string[]): string[] =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
  const rule = widths.map((width, i) => `${'-'.repeat(width - 1)}${i === 0 ? '-' : ':'}`)
  const [first = [], ...others] = lines.map(padded)
  return [first, rule, ...others].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

export const percent = (part: number, whole: number, digits = 2): string =>
  whole === 0 ? '-' : ((100 * part) / whole).toFixed(digits)

/** Keeps the order in which the keys come. */
export function grouped<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    const group = groups.get(keyOf(one))
    if (group) group.push(one)
    else groups.set(keyOf(one), [one])
  }
  return groups
}

export const countsOf = (all: readonly string[]): string =>
  [...grouped(all, one => one)]
    .map(([name, { length }]) => [name, length] as const)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
