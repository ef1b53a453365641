import { type Dimension, NUMBERS, type UsageRow } from './rows.ts'

/** A table program takes what begins like this for a formula, and would run it. */
const FORMULA = /^[=+\-@\t\r]/

function cell(value: string | number | null): string {
  if (value === null) return ''
  // Numbers are written as they are, with all their digits.
  if (typeof value === 'number') return String(value)
  const harmless = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** Rows of usage as CSV (RFC 4180), with the columns that the endpoint has. */
export function csvOf(rows: readonly UsageRow[], by: Dimension): string {
  const head = [by, ...(by === 'model' ? ['provider'] : []), ...NUMBERS]
  const lines = rows.map(row => [
    row.name,
    ...(by === 'model' ? [row.provider] : []),
    ...NUMBERS.map(name => row[name]),
  ])
  return [head, ...lines].map(line => `${line.map(cell).join(',')}\r\n`).join('')
}

/** Has the browser save a text as a file. */
export function offerFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
