import { type Steps, stepped } from 'deflector'

/** What may be done to a line. */
export type LineKind =
  /** Text that is Markdown and nothing else. */
  | 'free'
  /** Its bytes mean something: code, front matter, markup, a quotation, or what cannot be told apart from them. */
  | 'kept'
  /** Part of a comment that begins and ends with a line of its own. */
  | 'comment'

/** A text by its lines, as far as a rewriter has to know them. */
export interface Lines {
  readonly texts: readonly string[]
  readonly kinds: readonly LineKind[]
}

export const isBlank = (line: string): boolean => /^[ \t\r]*$/.test(line)

/** Columns of spaces before the text; a tab counts as too many, because its width depends on what is around it. */
export function indentOf(line: string): number {
  let at = 0
  while (line[at] === ' ') at++
  return line[at] === '\t' ? Number.POSITIVE_INFINITY : at
}

/** Does the line that goes up to `end` end with a colon there? It speaks of what comes next: no decoration and no note. */
export function introduces(text: string, end = text.length): boolean {
  let at = end - 1
  while (/[ \t\r]/.test(text[at] ?? '')) at--
  const least = at - MOST_CLOSING
  while (at > least && CLOSING.includes(text[at] ?? '\n')) at--
  return text[at] === ':' || text[at] === '：'
}

/** Marks that may stand behind a colon. */
const CLOSING = '*_"”»'
const MOST_CLOSING = 3

/** Indented so far, a line can be code. */
export const CODE_INDENT = 4

/** Indentation and the marks of lists: what may stand before the first mark of code or markup in them. */
const PREFIX = /^(?: *(?:[-*+]|\d{1,9}[.)])(?= ))* */
const FENCE = /^(`{3,}|~{3,})(.*)$/s
/** Other spaces than these are part of the code. */
const CLOSING_FENCE = /^[ \t]*(`+|~+)[ \t]*$/
/** What may stand before code or markup that lists and quotations hold. */
const NESTED = /^[\s>*+\-\d.)]*(?=`{3,}|~{3,}|<)/
const TAG = /^<\/?[A-Za-z]/
/** It may go on in the next line. */
const OPENING_TAG = /<([A-Za-z][\w.:-]*)(?:\s[^<>]*)?(?:>|$)/g
const ANY_TAG = /<(\/?)([A-Za-z][\w.:-]*)/g
const CLOSING_TAG = /<\/([A-Za-z][\w.:-]*)/g
const KEY = /^[A-Za-z_][\w-]*(?::(?:\s|$)| = )/
/** How blocks of markup begin that blank lines do not end, and how they end. */
const BLOCKS: readonly (readonly [begin: RegExp, end: RegExp])[] = [
  [/^<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<\?/, /\?>/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [/^<![A-Za-z]/, />/],
]
/** The first line of front matter that says something, also one that no word begins: a key in quotes, a table, a list. */
const FIRST_KEY = /^(?:["'\p{L}_$][^:=\n]*[:=](?:\s|$)|\[[^\]]*\]|- |\{)/u
const SILENT = /^\s*(?:#|$)/
/** Patches and conflicts, whose blank and drawn lines are counted or mean something. */
const PATCH = /^(?:<{7}(?: |$)|@@ -\d|diff --git )/
const OTHER_BLOCK = /^\s*(?:`{3,}|~{3,}|<)/
/** What begins and ends front matter. */
const MARK = /^(---|\+\+\+)[ \t]*$/
/** Characters of a line, which is read in one go. */
const LONGEST_LINE = 16_384
/** Lines of a text above which it stays as it is. */
const MOST_LINES = 32_000
const ENDS_A_STEP = 256
/** Lines of front matter that a text may have in its middle, where several files were joined. */
const LONGEST_FRONT_MATTER = 200

interface Fence {
  readonly mark: string
  /** Column of its first mark. At 0 it is in no list. */
  readonly column: number
  /** Markup goes on around it, where some readers see no fence: a blank line divides them. */
  readonly inMarkup: boolean
}

/**
 * Reads which lines of a Markdown text are text and nothing else. Where the end of code or markup cannot be told for
 * certain, all that follows is kept: the reader of the text may see it in another way than we do.
 */
export const readLines = stepped(function* (text: string): Steps<Lines> {
  // A lone carriage return ends a line, too, and a null is read as something else.
  if (hasManyLines(text) || /\r(?!\n|$)|\0/.test(text) || isJson(text)) return { texts: [text], kinds: ['kept'] }
  const texts = text.split('\n')
  const bare = text.includes('\r') ? texts.map(line => line.replace(/\r$/, '')) : texts
  return { texts, kinds: yield* new Reader(bare, bare === texts ? text : bare.join('\n')).read() }
})

function hasManyLines(text: string): boolean {
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) if (++lines > MOST_LINES) return true
  return false
}

/** Does code, or a comment, begin in a quotation, and go on for all we know? */
const isOpenQuotation = (line: string): boolean =>
  /`{3}|~{3}/.test(line) || line.lastIndexOf('<!--') > line.lastIndexOf('-->')

/** Does a text look like JSON and nothing else? It may hold Markdown in strings. */
function isJson(text: string): boolean {
  const first = /^\s*([[{])/.exec(text)?.[1]
  return first !== undefined && text.trimEnd().endsWith(first === '{' ? '}' : ']')
}

/** Characters that are read in one step, about a tenth of a millisecond; a line counts as more than it holds. */
const STEP = 8_192
const LINE = 64

/** Is a step over? To be told of each line, or of several of them. */
export function stepCount(): (lines: number, characters: number) => boolean {
  let read = 0
  return (lines, characters) => {
    read += lines * LINE + characters
    if (read < STEP) return false
    read = 0
    return true
  }
}

class Reader {
  readonly #kinds: LineKind[]
  #at = 0
  #fence: Fence | undefined
  /** Elements that are open and have their end further down, with how often each is open. */
  readonly #open = new Map<string, number>()
  /** The last end of each element, as a place in the text. */
  readonly #ended = new Map<string, number>()
  /** Where the current line begins in the text. */
  #place = { line: 0, offset: 0 }
  /** Markup without an end goes on up to the next blank line. */
  #inMarkup = false

  constructor(
    readonly lines: readonly string[],
    readonly text: string,
  ) {
    this.#kinds = lines.map(() => 'free')
  }

  *read(): Steps<LineKind[]> {
    yield* this.#findEnds()
    const isStep = stepCount()
    while (this.#at < this.lines.length) {
      const line = this.lines[this.#at] ?? ''
      if (isStep(1, line.length)) yield
      const next = this.#line(line)
      if (next === undefined) {
        this.#kinds.fill('kept', this.#at)
        break
      }
      this.#at = next
    }
    return this.#kinds
  }

  /** Reads the line at `#at`; gives the next one to read, or `undefined` where nothing more can be told. */
  #line(line: string): number | undefined {
    const at = this.#at
    if (line.length > LONGEST_LINE && line.includes('<')) return undefined
    if (this.#fence) return this.#inFence(line, this.#fence) ? at + 1 : undefined
    if (isBlank(line)) {
      this.#inMarkup = false
      if (this.#open.size > 0) this.#kinds[at] = 'kept'
      return at + 1
    }
    // Its columns depend on what is around it.
    if (NESTED.exec(line)?.[0].includes('\t')) return undefined
    const column = PREFIX.exec(line)?.[0].length ?? 0
    const rest = line.slice(column)
    // Where code in a quotation ends is for the quotation to say.
    if (rest.startsWith('>')) return isOpenQuotation(rest) ? undefined : this.#keep(at + 1)
    if (PATCH.test(rest)) return undefined
    const [, mark, info = ''] = FENCE.exec(rest) ?? []
    if (mark !== undefined) {
      // In the same line as its end it is code in a line, and what follows may be its end.
      if (mark.startsWith('`') && info.includes('`')) return undefined
      this.#fence = { mark, column, inMarkup: this.#inMarkup }
      return this.#keep(at + 1)
    }
    const front = this.#open.size === 0 ? this.#frontMatter(at) : at
    if (front !== at) return front
    if (rest.startsWith('<')) {
      const end = this.#block(rest)
      // In a list, or in markup, the end of the outer block may come before that of the inner one.
      if (end !== at && (end === undefined || column >= CODE_INDENT || column !== indentOf(line) || this.#inMarkup))
        return end === at + 1 ? this.#keep(end) : undefined
      if (end !== at) return end
      if (TAG.test(rest)) this.#inMarkup = true
    }
    const isInside = line.includes('<') && this.#elements(line)
    if (isInside || this.#inMarkup || this.#open.size > 0 || indentOf(line) >= CODE_INDENT) return this.#keep(at + 1)
    return at + 1
  }

  #keep(next: number): number {
    this.#kinds.fill('kept', this.#at, next)
    return next
  }

  /** False where the fence, or the list that it stands in, may have ended in another way. */
  #inFence(line: string, { mark, column, inMarkup }: Fence): boolean {
    this.#kinds[this.#at] = 'kept'
    const closes = CLOSING_FENCE.exec(line)?.[1]?.startsWith(mark)
    const indent = indentOf(line)
    if (closes) {
      if (column === 0 ? indent >= CODE_INDENT : indent !== column) return false
      this.#fence = undefined
      return true
    }
    if (inMarkup && isBlank(line)) return false
    if (this.#open.size > 0)
      for (const [, slash, name = ''] of line.matchAll(ANY_TAG)) if (slash && this.#open.has(name)) return false
    return column === 0 || isBlank(line) || indent >= column
  }

  /** A comment, or another block that blank lines do not end; gives `#at` where none begins here. */
  #block(rest: string): number | undefined {
    if (rest.startsWith('<!--')) return this.#comment(rest)
    const ends = BLOCKS.find(([begin]) => begin.test(rest))?.[1]
    if (!ends) return this.#at
    for (let at = this.#at; at < this.lines.length; at++)
      if (ends.test(at === this.#at ? rest.slice(2) : (this.lines[at] ?? ''))) return this.#keep(at + 1)
    return undefined
  }

  /**
   * From `---` to `---`, at the head of the text or of a file within it; gives `at` where none begins there, `undefined`
   * where other readers may see something else.
   */
  #frontMatter(at: number): number | undefined {
    const first = this.lines[at] ?? ''
    const mark = MARK.exec(at === 0 ? first.replace(/^\uFEFF/, '') : first)?.[1]
    // A reader that knows a byte order mark may see a block where another one sees text.
    if (mark === undefined) return at === 0 && first.startsWith('\uFEFF') && OTHER_BLOCK.test(first) ? undefined : at
    const last = this.#lastOfFrontMatter(at)
    for (let end = at + 1; end < last; end++) {
      const line = this.lines[end] ?? ''
      if (MARK.exec(line)?.[1] === mark || (mark === '---' && /^\.\.\.[ \t]*$/.test(line))) return this.#keep(end + 1)
      if (OTHER_BLOCK.test(line)) return undefined
    }
    return at === 0 ? this.#keep(1) : at
  }

  /** Where front matter that begins at `at` ends at the latest; `at` where it is a line that is drawn. */
  #lastOfFrontMatter(at: number): number {
    if (at > 0) return KEY.test(this.lines[at + 1] ?? '') ? Math.min(this.lines.length, at + LONGEST_FRONT_MATTER) : at
    let next = 1
    while (next < this.lines.length && SILENT.test(this.lines[next] ?? '')) next++
    return FIRST_KEY.test(this.lines[next] ?? '') ? this.lines.length : at
  }

  #comment(rest: string): number | undefined {
    const at = this.#at
    const first = this.lines[at] ?? ''
    const begin = first.length - rest.length
    for (let end = at; end < this.lines.length; end++) {
      const text = this.lines[end] ?? ''
      const close = text.indexOf('-->', end === at ? begin + 2 : 0)
      if (close < 0) continue
      const after = text.slice(close + 3)
      // A page ends that one further down.
      if (after.includes('<!--')) return undefined
      const isWhole = begin === 0 && isBlank(after) && !(end === at && close < 4)
      this.#kinds.fill(isWhole && this.#open.size === 0 && !this.#inMarkup ? 'comment' : 'kept', at, end + 1)
      return end + 1
    }
    return undefined
  }

  /** Opens and closes the elements of a line; true where it holds an end. One whose end does not come is a word in brackets. */
  #elements(line: string): boolean {
    for (const [, name = ''] of line.matchAll(OPENING_TAG))
      if (!this.#open.has(name) && this.#ends(name)) this.#open.set(name, 0)
    if (this.#open.size > 0) this.#count(line)
    return line.includes('</')
  }

  #count(line: string): void {
    const counted = new Set<string>()
    for (const [, slash, name = ''] of line.matchAll(ANY_TAG)) {
      const depth = this.#open.get(name)
      if (depth === undefined) continue
      this.#open.set(name, depth + (slash ? -1 : 1))
      counted.add(name)
    }
    for (const name of counted) if ((this.#open.get(name) ?? 0) <= 0) this.#open.delete(name)
  }

  *#findEnds(): Steps<void> {
    let found = 0
    for (const { index, 1: name = '' } of this.text.matchAll(CLOSING_TAG)) {
      this.#ended.set(name, index)
      if (++found % ENDS_A_STEP === 0) yield
    }
  }

  #ends(name: string): boolean {
    let { line, offset } = this.#place
    for (; line < this.#at; line++) offset += (this.lines[line]?.length ?? 0) + 1
    this.#place = { line, offset }
    return (this.#ended.get(name) ?? -1) >= offset
  }
}
