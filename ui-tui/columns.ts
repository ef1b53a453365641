import { padded, shortened } from './terminal-text.ts'

/** Colours are a second signal only: each tone comes with a word or a sign. */
export type Tone = 'good' | 'bad' | 'warn' | 'dim' | 'strong'

export type Cell = string | { readonly text: string; readonly tone: Tone }

export interface Column<Row> {
  readonly title: string
  readonly width: number
  /** Takes what is left, up to so many columns; several share it. */
  readonly grows?: number
  readonly right?: boolean
  /** Only in tables of so many columns of the terminal, or more. */
  readonly from?: number
  cell(row: Row): Cell
  /** By what rows are sorted where this column is chosen; numbers the largest first. */
  sort?(row: Row): number | string
}

const GAP = 1

/** The columns that a table of this width shows, each with the width that it has there. */
export function fitted<Row>(columns: readonly Column<Row>[], width: number): readonly Column<Row>[] {
  const shown = columns.filter(({ from = 0 }) => width >= from)
  const growing = shown.filter(({ grows }) => grows).length
  const used = shown.reduce((sum, column) => sum + column.width + GAP, -GAP)
  const more = growing === 0 ? 0 : Math.max(0, Math.floor((width - used) / growing))
  return shown.map(column =>
    column.grows ? { ...column, width: Math.min(column.grows, column.width + more) } : column,
  )
}

/** A piece of a line, in one tone. */
export interface Piece {
  readonly text: string
  readonly tone?: Tone | undefined
}

/** The pieces of a line. Texts of outside lose what would move the cursor. */
export function pieces<Row>(columns: readonly Column<Row>[], cell: (column: Column<Row>) => Cell): Piece[] {
  return columns.map((column, at) => {
    const given = cell(column)
    const { text, tone } = typeof given === 'string' ? { text: given, tone: undefined } : given
    const fit = padded(shortened(text, column.width), column.width, column.right ? 'right' : 'left')
    return { text: at === 0 ? fit : `${' '.repeat(GAP)}${fit}`, tone }
  })
}

/** In the order of one column; rows that are equal there stay as they were. */
export function sorted<Row>(rows: readonly Row[], column: Column<Row> | undefined, reversed: boolean): readonly Row[] {
  const by = column?.sort
  if (!by) return reversed ? rows.toReversed() : rows
  const order = rows.toSorted((a, b) => {
    const [x, y] = [by(a), by(b)]
    if (typeof x === 'number' && typeof y === 'number') return y - x
    return String(x).localeCompare(String(y))
  })
  return reversed ? order.toReversed() : order
}
