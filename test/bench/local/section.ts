/** One part of `npm run bench:local`. */
export interface Section {
  readonly title: string
  /** Measures, and gives the part as Markdown. */
  print(): Promise<string>
}

export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |\n`
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('')
}

export const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`
