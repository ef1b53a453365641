/** A document in which the text between `<!-- name -->` and `<!-- end of name -->` is this one. */
export function section(document: string, name: string, text: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  const [from, to] = [document.indexOf(open), document.indexOf(close)]
  if (from === -1 || to < from) throw new Error(`the document has no section ${name}: it needs ${open} and ${close}`)
  return `${document.slice(0, from)}${open}\n\n${text}\n\n${document.slice(to)}`
}
