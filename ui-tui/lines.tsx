import { Box, Text, type TextProps } from 'ink'
import { createElement, type ReactNode } from 'react'
import { type Column, fitted, type Piece, pieces, type Tone } from './columns.ts'

const TONES: Readonly<Record<Tone, TextProps>> = {
  good: { color: 'green' },
  bad: { color: 'red' },
  warn: { color: 'yellow' },
  dim: { dimColor: true },
  strong: { bold: true },
}

/** One line of the screen; what does not fit is cut. */
export function Line({ of, chosen = false }: { readonly of: readonly Piece[]; readonly chosen?: boolean }): ReactNode {
  // The pieces of a line have no names: their place is what tells them apart.
  const texts = of.map(({ text, tone }) => createElement(Text, tone && TONES[tone], text))
  return createElement(Text, { wrap: 'truncate', inverse: chosen }, ...texts)
}

export interface TableProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly width: number
  /** With its head. */
  readonly height: number
  /** Where keys move; absent in a table that is only looked at. */
  readonly cursor?: number | undefined
  /** Title of the column that it is sorted by, with its direction. */
  readonly sort?: { readonly title: string; readonly reversed: boolean } | undefined
  /** What stands in place of rows that are not there. */
  readonly empty: string
}

/** A head and rows in columns. The row of the cursor is marked by a sign, too. */
export function Table<Row>({ columns, rows, keyOf, width, height, cursor, sort, empty }: TableProps<Row>): ReactNode {
  const room = Math.max(0, height - 1)
  const marked = cursor !== undefined
  const fit = fitted(columns, width - (marked ? 2 : 0))
  const titleOf = ({ title }: Column<Row>): string =>
    sort?.title === title && title !== '' ? `${title}${sort.reversed ? '▲' : '▼'}` : title
  const mark = (text: string): Piece[] => (marked ? [{ text }] : [])
  const hidden = marked ? 0 : rows.length - room
  const shown = hidden > 0 ? room - 1 : room
  const first = marked ? Math.min(Math.max(0, cursor - Math.floor(room / 2)), Math.max(0, rows.length - room)) : 0
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <Line
        of={[
          ...mark('  '),
          ...pieces(fit, column => ({ text: titleOf(column), tone: column === fit[0] ? 'strong' : 'dim' })),
        ]}
      />
      {rows.slice(first, first + Math.max(0, shown)).map((row, at) => (
        <Line
          key={keyOf(row)}
          of={[...mark(first + at === cursor ? '> ' : '  '), ...pieces(fit, column => column.cell(row))]}
          chosen={first + at === cursor}
        />
      ))}
      {hidden > 0 && room > 0 && <Line of={[{ text: `… ${hidden + 1} more`, tone: 'dim' }]} />}
      {rows.length === 0 && room > 0 && <Line of={[...mark('  '), { text: empty, tone: 'dim' }]} />}
    </Box>
  )
}
