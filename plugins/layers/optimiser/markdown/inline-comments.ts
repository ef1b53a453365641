import { CODE_INDENT, indentOf, introduces, isBlank } from './lines.ts'
import { isMark } from './marks.ts'

/** A definition of a link or a footnote, which ends with its line: less text may make one of what was none. */
export const DEFINITION = /^ {0,3}\[(?:[^\][\\]|\\.)*\]:/ms
/** Characters of a paragraph, which is read in one go: a longer one stays as it is. */
const LONGEST = 16_384
const WORD = /\p{L}/u
/** A comment that every version of CommonMark takes for one. */
const COMMENT = /<!--(?!-?>)((?:(?!--)[^\n])*)(?<!-)-->/y

/**
 * The lines of one paragraph without the comments in them. A comment goes only where a space or the end of its line is on
 * both its sides, so that nothing grows together.
 */
export function withoutInlineComments(lines: readonly string[]): readonly string[] {
  const text = lines.join('\n')
  if (text.length > LONGEST || !text.includes('<!--') || DEFINITION.test(text)) return lines
  const cuts = commentsIn(text)
  if (cuts.length === 0) return lines
  const out: string[] = []
  let offset = 0
  let next = 0
  for (const line of lines) {
    const end = offset + line.length
    const own: Cut[] = []
    // One at the head of a line stays.
    for (let cut = cuts[next]; cut && cut.from <= end; cut = cuts[++next]) if (cut.from > offset) own.push(cut)
    out.push(own.length === 0 ? line : shortened(line, own, offset))
    offset = end + 1
  }
  return out
}

interface Cut {
  readonly from: number
  readonly to: number
}

function shortened(line: string, cuts: readonly Cut[], offset: number): string {
  let out = ''
  let at = 0
  for (const { from, to } of cuts) {
    const before = line.slice(at, from - offset)
    out += before
    at = to - offset
  }
  const rest = line.slice(at)
  const [, end = ''] = /(\r?)$/.exec(line) ?? []
  const isTail = isBlank(rest)
  // Two spaces at the end of a line, or a backslash, are a line break.
  if (isTail && /[ \t]/.test(rest)) return line
  const kept = isTail ? withoutSpaces(out) + end : out + rest
  return isPlain(kept, line) ? kept : line
}

/** Without spaces at its end. Other ones than these are text. */
function withoutSpaces(line: string): string {
  let end = line.length
  while (line[end - 1] === ' ' || line[end - 1] === '\t') end--
  return line.slice(0, end)
}

/** Is the line still what it was? Marks alone may be a rule, a table's head or an empty item. */
function isPlain(kept: string, line: string): boolean {
  const bare = kept.trim()
  return WORD.test(bare) && !/[\\#=-]$/.test(bare) && indentOf(line) < CODE_INDENT && !/ {4}|\t/.test(kept)
}

/** The comments of a paragraph that stand outside of code, links and tags. */
function commentsIn(text: string): Cut[] {
  const cuts: Cut[] = []
  let inTarget = false
  let brackets = 0
  for (let at = 0; at < text.length; ) {
    const mark = text[at]
    if (mark === ')') inTarget = false
    else if (mark === '(' && text[at - 1] === ']') inTarget = true
    else if (mark === '[') brackets++
    else if (mark === ']') brackets = Math.max(0, brackets - 1)
    if (mark === '\\') at += 2
    else if (mark === '`') {
      const run = /`+/y
      run.lastIndex = at
      const ticks = run.exec(text)?.[0] ?? '`'
      const end = endOfCode(text, at + ticks.length, ticks)
      // Ticks without an end, or with one behind what may begin a new block: what a reader takes for code is not certain.
      if (end === undefined || text.slice(at, end).includes('\n')) return cuts
      at = end
    } else if (mark === '<') {
      COMMENT.lastIndex = at
      const found = COMMENT.exec(text)?.[0]
      if (found === undefined) return cuts
      const to = at + found.length
      const isApart = /\s/.test(text[at - 1] ?? '') && /^(?:\s|$)/.test(text.slice(to, to + 1))
      const isShown = introduces(text, at)
      if (isApart && !isShown && !isMark(found) && !inTarget && brackets === 0) cuts.push({ from: at, to })
      at = to
    } else at++
  }
  return cuts
}

function endOfCode(text: string, from: number, ticks: string): number | undefined {
  const runs = /`+/g
  runs.lastIndex = from
  for (let run = runs.exec(text); run; run = runs.exec(text))
    if (run[0].length === ticks.length) return run.index + ticks.length
  return undefined
}
