/** The place of the quote that closes a string of JSON text, from a place inside it; -1 where none does. */
export function closingQuote(json: string, from: number): number {
  for (let at = json.indexOf('"', from); at >= 0; at = json.indexOf('"', at + 1)) {
    let slashes = 0
    while (at - slashes > from && json[at - slashes - 1] === '\\') slashes++
    if (slashes % 2 === 0) return at
  }
  return -1
}
