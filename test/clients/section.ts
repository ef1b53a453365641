/** A document in which the text between `<!-- name -->` and `<!-- end of name -->` is this one. */
export function section(document: string, name: string, text: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  const [from, to] = [document.indexOf(open), document.indexOf(close)]
  if (from === -1 || to < from) throw new Error(`the document has no section ${name}: it needs ${open} and ${close}`)
  return `${document.slice(0, from)}${open}\n\n${text}\n\n${document.slice(to)}`
}

/** The table of a section, in which rows that begin with the same cells are replaced, and others are added. */
export function withRows(document: string, name: string, table: string, cells: number): string {
  const [head = '', rule = '', ...rows] = table.split('\n')
  const from = document.indexOf(`<!-- ${name} -->`)
  const lines = document.slice(from, document.indexOf(`<!-- end of ${name} -->`)).split('\n')
  const old = lines.includes(head) ? lines.slice(lines.indexOf(head) + 2).filter(line => line.startsWith('|')) : []
  const keyOf = (row: string): string =>
    row
      .split('|')
      .slice(1, 1 + cells)
      .join('|')
  const byKey = new Map([...old, ...rows].map(row => [keyOf(row), row]))
  return section(document, name, [head, rule, ...byKey.values()].join('\n'))
}
