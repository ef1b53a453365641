import { type Steps, stepped } from 'deflector'
import { unboxed } from './boxes.ts'
import { withoutInlineComments } from './inline-comments.ts'
import { CODE_INDENT, indentOf, introduces, isBlank, type LineKind, readLines, stepCount } from './lines.ts'
import { isMark } from './marks.ts'
import { isRule } from './rules.ts'
import { type SpokenOf, spokenOf } from './spoken-of.ts'

/** What could become less; a text without any of it need not be read. */
const WORTH_READING = /<!--|\n[ \t\r]*\n[ \t\r]*(?:\n|$)|^[ \t]*(?:[-*_=]{3,}|[─━═┄┅┈┉╌╍▀▄█▬⎯―]{3,}|[┌┏╔╭])/m
const LIST_ITEM = /^ *(?:[-*+]|\d{1,9}[.)])(?:\s|$)/
/** Each pass can make room for the next one; a text that needs more of them stays as it is. */
const MOST_PASSES = 12

/**
 * A text of instructions without its comments, decoration and repeated blank lines, as they are read in Markdown. What
 * it says, and how it would be rendered, stays the same. A text that was minified stays as it is. `keepsComments`: only
 * the rest goes.
 */
export const minify = stepped(function* (text: string, keepsComments?: boolean): Steps<string> {
  let out = text
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const shorter = WORTH_READING.test(out) ? yield* minifyOnce(out, keepsComments) : out
    if (shorter === out) return out
    // Vendors refuse an empty text.
    if (isBlank(shorter.replaceAll('\n', ''))) return text
    out = shorter
    yield
  }
  return text
})

function* minifyOnce(text: string, keepsComments = false): Steps<string> {
  const { texts, kinds } = yield* readLines.steps(text)
  const { comments, rules } = spokenOf(text)
  const pass = new Pass(texts, kinds, { comments: comments || keepsComments, rules })
  const isStep = stepCount()
  for (let at = 0; at < texts.length; ) {
    const next = pass.read(at)
    if (isStep(next - at, lengthOf(texts, at, next))) yield
    at = next
  }
  return pass.text
}

function lengthOf(lines: readonly string[], from: number, to: number): number {
  let length = 0
  for (let at = from; at < to; at++) length += lines[at]?.length ?? 0
  return length
}

/** One way through the lines. */
class Pass {
  readonly #out: string[] = []
  /** A list may still go on: what parted its items, or a text from it, has to stay. */
  #inList = false
  /** Blank lines at the end of `#out`. */
  #blanks = 0
  /** The last line with text says that what follows belongs to it. */
  #isShown = false

  constructor(
    readonly lines: readonly string[],
    readonly kinds: readonly LineKind[],
    readonly kept: SpokenOf,
  ) {}

  get text(): string {
    return this.#out.join('\n')
  }

  /** Reads the lines from `at` on that belong together; gives the next one. */
  read(at: number): number {
    const line = this.#line(at)
    const kind = this.kinds[at]
    if (kind === 'comment') return this.#comment(at)
    if (kind === 'free') {
      if (isBlank(line)) return this.#blank(at)
      const goes = isRule(line) && !this.#isShown && !this.kept.rules
      if (goes && this.#isApart(at, at + 1) && this.#parts(at + 1)) return at + 1
      const box = this.#isShown ? undefined : unboxed(this.lines, at)
      if (box && this.#isApart(at, at + box.count) && this.#isFree(at, at + box.count) && !this.#inList) {
        for (const inner of box.text) this.#put(inner)
        return at + box.count
      }
      return this.#paragraph(at)
    }
    this.#put(line)
    return at + 1
  }

  #line(at: number): string {
    return this.lines[at] ?? ''
  }

  #put(line: string): void {
    const blank = isBlank(line)
    if (!blank) {
      this.#isShown = introduces(line)
      if (LIST_ITEM.test(line)) this.#inList = true
      else if (indentOf(line) === 0 && (this.#blanks > 0 || /^(?:#{1,6}\s|```|~~~)/.test(line))) this.#inList = false
    }
    this.#blanks = blank ? this.#blanks + 1 : 0
    this.#out.push(line)
  }

  #isFree(from: number, to: number): boolean {
    for (let at = from; at < to; at++) if (this.kinds[at] !== 'free') return false
    return true
  }

  /** Are the lines parted by blank ones from what is before and after them? At the head of a text a rule may begin something. */
  #isApart(from: number, to: number): boolean {
    return from > 0 && isBlank(this.#line(from - 1)) && (to >= this.lines.length || isBlank(this.#line(to)))
  }

  /**
   * Would what comes from `at` on, and what is before, stay apart with nothing but a blank line between? A list goes on
   * over it, and so does code.
   */
  #parts(at: number): boolean {
    const next = this.#nextText(at)
    if (next === undefined) return true
    const isFirst = this.#out.every(isBlank)
    if (isFirst && /^(?:[-+]{3}|[=*_]{3})/.test(next)) return false
    const indent = indentOf(next)
    return this.#inList ? indent === 0 && !LIST_ITEM.test(next) : indent < CODE_INDENT
  }

  #nextText(at: number): string | undefined {
    for (let next = at; next < this.lines.length; next++) if (!isBlank(this.#line(next))) return this.#line(next)
    return undefined
  }

  #comment(at: number): number {
    let end = at + 1
    // A comment ends with the first line that holds its end; the next one begins with a line of its own.
    while (end < this.lines.length && !this.#line(end - 1).includes('-->', end - 1 === at ? 4 : 0)) end++
    const isShown = this.#isShown
    const stays = this.kept.comments || isShown || isMark(this.lines.slice(at, end).join('\n'))
    if (stays || !this.#parts(end)) {
      for (let line = at; line < end; line++) this.#put(this.#line(line))
      this.#isShown = isShown // the next comment belongs to it
      return end
    }
    const isBeforeText = end < this.lines.length && !isBlank(this.#line(end))
    if (this.#out.length > 0 && this.#blanks === 0 && isBeforeText) this.#put('')
    // With nothing before them the blank lines after it have nothing to part.
    while (this.#out.length === 0 && end < this.lines.length - 1 && isBlank(this.#line(end))) end++
    return end
  }

  /** The first of several blank lines parts as well as all of them, but for those inside of code. */
  #blank(at: number): number {
    let end = at + 1
    while (end < this.lines.length && this.kinds[end] === 'free' && isBlank(this.#line(end))) end++
    const isEnd = end === this.lines.length
    // The last line of a text that ends with a line feed is none.
    const most = isEnd ? 2 : 1
    const next = this.lines[end]
    const isParting = isEnd || (next !== undefined && !isBlank(next) && indentOf(next) < CODE_INDENT)
    const first = isParting && this.#blanks >= most ? end : at
    const last = isParting ? Math.min(end, first + most - Math.min(most, this.#blanks)) : end
    for (let line = first; line < last; line++) this.#put(this.#line(line))
    return end
  }

  #paragraph(at: number): number {
    let end = at + 1
    while (end < this.lines.length && this.kinds[end] === 'free' && !isBlank(this.#line(end))) end++
    const lines = this.lines.slice(at, end)
    const stay = this.kept.comments || this.#isOther(at - 1) || this.#isOther(end)
    for (const line of stay ? lines : withoutInlineComments(lines)) this.#put(line)
    return end
  }

  /** A line of another kind that is part of the same paragraph for all we know. */
  #isOther(at: number): boolean {
    return at >= 0 && at < this.lines.length && this.kinds[at] === 'kept' && !isBlank(this.#line(at))
  }
}
