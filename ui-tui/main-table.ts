import { type Column, sorted } from './columns.ts'
import type { TableProps } from './lines.tsx'
import type { View } from './view.ts'

/** The table in which keys move, as far as it does not depend on where it stands. */
export interface Main<Row> {
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly cursor: number
  readonly sort: TableProps<Row>['sort']
}

/** With the rows that the filter leaves, in the chosen order. */
export function mainOf<Row>(
  columns: readonly Column<Row>[],
  all: readonly Row[],
  keyOf: (row: Row) => string,
  matches: (row: Row, filter: string) => boolean,
  { tab, filter, sort, reversed, selected }: View,
): Main<Row> {
  const wanted = filter === '' ? all : all.filter(row => matches(row, filter))
  const title = sort[tab]
  const column = columns.find(one => one.title === title && one.sort)
  const rows = sorted(wanted, column, reversed)
  const at = selected === undefined ? 0 : rows.findIndex(row => keyOf(row) === selected)
  const by = column?.title ?? (reversed ? (columns[0]?.title ?? '') : undefined)
  return { columns, rows, keyOf, cursor: Math.max(0, at), sort: by === undefined ? undefined : { title: by, reversed } }
}

interface Named {
  readonly name: string
}
export const nameOf = ({ name }: Named): string => name
export const inName = ({ name }: Named, filter: string): boolean => name.toLowerCase().includes(filter.toLowerCase())
