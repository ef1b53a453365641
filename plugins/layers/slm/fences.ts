const QUOTED = /^(?: {0,3}> ?)+/
/** The marker of a list's item, what stands before it, and the space behind it. */
const ITEM = /^( *)(?:[-*+]|\d{1,9}[.)])(?: +|$)/
const FENCE = /^( *)(`{3,}|~{3,})(.*)$/
/** Deeper than this, a line is code by its indentation. */
const DEEPEST = 3
/** Lists in one another; no answer has more. */
const MOST_ITEMS = 20

interface Fence {
  readonly sign: string
  readonly isQuoted: boolean
  /** The column at which the text around it begins. */
  readonly base: number
}

/**
 * Does a fenced code block begin in this text and not end? Then something was lost on the way. Lists and quotations may
 * hold one. Its end may stand further left than Markdown wants it, because models often put it there.
 */
export function hasOpenFence(text: string): boolean {
  let open: Fence | undefined
  let items = new Items()
  for (const whole of text.split(/\r\n|\n|\r/)) {
    const line = whole.replaceAll('\t', '    ')
    const quote = QUOTED.exec(line)?.[0] ?? ''
    const isQuoted = quote !== ''
    if (open) {
      if (closes(open.isQuoted ? line.slice(quote.length) : line, open)) open = undefined
      continue
    }
    if (line.trim() === '') continue
    if (isQuoted !== items.areQuoted) items = new Items(isQuoted)
    const begun = items.read(line.slice(quote.length))
    const sign = beginning(begun.text, begun.base)
    if (sign !== undefined) open = { sign, isQuoted, base: begun.base }
  }
  return open !== undefined
}

function beginning(line: string, base: number): string | undefined {
  const [, space = '', sign = '', rest = ''] = FENCE.exec(line) ?? []
  if (sign === '' || space.length > base + DEEPEST) return undefined
  // Backticks behind it make it inline code.
  return sign.startsWith('`') && rest.includes('`') ? undefined : sign
}

function closes(line: string, { sign, base }: Fence): boolean {
  const [, space = '', end = '', rest = ''] = FENCE.exec(line) ?? []
  return end[0] === sign[0] && end.length >= sign.length && rest.trim() === '' && space.length <= base + DEEPEST
}

/** The items of lists in which a line stands, by the columns at which their text begins. */
class Items {
  #columns: number[] = []

  constructor(readonly areQuoted = false) {}

  /** The line with spaces in place of its markers, and the column at which the innermost item's text begins. */
  read(line: string): { readonly text: string; readonly base: number } {
    let text = line
    this.#leave(text.length - text.trimStart().length)
    for (let item = ITEM.exec(text); item && this.#columns.length < MOST_ITEMS; item = ITEM.exec(text)) {
      const [marker, { length: before } = ''] = item
      // Indented code, or a rule of dashes.
      if (before > this.#base + DEEPEST || text.slice(before).replace(/[ *-]/g, '') === '') break
      this.#columns.push(marker.length)
      text = ' '.repeat(marker.length) + text.slice(marker.length)
      if (text.trim() === '') break
    }
    return { text, base: this.#base }
  }

  get #base(): number {
    return this.#columns.at(-1) ?? 0
  }

  #leave(column: number): void {
    while (this.#base > column) this.#columns.pop()
  }
}
