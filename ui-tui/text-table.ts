import { columnsOf, padded, shortened } from './terminal-text.ts'

/** Longer cells are cut. */
const WIDEST = 40

/** Rows as lines with aligned columns: the first to the left, all others to the right. Cells may be of outside. */
export function table(rows: readonly (readonly string[])[], left: readonly number[] = [0]): string[] {
  const cells = rows.map(row => row.map(cell => shortened(cell, WIDEST)))
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map(row => columnsOf(row[column] ?? ''))))
  return cells.map(row =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0, left.includes(column) ? 'left' : 'right'))
      .join('  ')
      .trimEnd(),
  )
}
