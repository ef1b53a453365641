const TOP = /^[┌┏╔╭][─━═]+[┐┓╗╮][ \t\r]*$/
const SIDES = /^[│┃║] (.*) [│┃║][ \t\r]*$/
const BOTTOM = /^[└┗╚╰][─━═]+[┘┛╝╯][ \t\r]*$/
/** Text that is read the same way with a box around it and without. */
const PLAIN = /^\p{L}[^│┃║├┤┬┴┼─━═]*$/u

/** The lines of a box around plain text, without the box, and how many lines it had; `undefined` where none begins. */
export function unboxed(
  lines: readonly string[],
  at: number,
): { readonly text: readonly string[]; readonly count: number } | undefined {
  if (!TOP.test(lines[at] ?? '')) return undefined
  const text: string[] = []
  for (let next = at + 1; next < lines.length; next++) {
    const line = lines[next] ?? ''
    if (BOTTOM.test(line)) return text.length === 0 ? undefined : { text, count: next + 1 - at }
    const inner = SIDES.exec(line)?.[1]?.trim()
    if (inner === undefined || !PLAIN.test(inner)) return undefined
    text.push(inner + (line.endsWith('\r') ? '\r' : ''))
  }
  return undefined
}
