import { freeformInput } from './freeform.ts'

const HEAD = /^\s*\{\s*"input"\s*:\s*"/
/** No model writes more than this before the text begins. */
const LONGEST_HEAD = 200
/** All of an escape, or one character that is none. */
const UNIT = /\\u[\da-f]{4}|\\[^u]|[^\\"]/giy

/** Reads the text of a free-form call while the arguments of the function that stands for it come in. */
export class FreeformText {
  #all = ''
  /** Where the text goes on; `undefined` before it has begun, and for arguments of another shape. */
  #at: number | undefined
  #closed = false
  /** The first half of a pair whose second half comes with the next piece. */
  #half = ''
  #told = false

  /** What of the text is new. */
  push(piece: string): string {
    this.#all += piece
    if (this.#closed || (this.#at === undefined && !this.#begins())) return ''
    let text = this.#half
    UNIT.lastIndex = this.#at ?? 0
    let at = UNIT.lastIndex
    for (let unit = UNIT.exec(this.#all); unit; unit = UNIT.exec(this.#all)) {
      text += plain(unit[0])
      at = UNIT.lastIndex
    }
    this.#at = at
    if (this.#all[at] === '"') this.#closed = true
    const last = text.charCodeAt(text.length - 1)
    const isHalf = !this.#closed && last >= 0xd800 && last <= 0xdbff
    this.#half = isHalf ? text.slice(-1) : ''
    if (isHalf) text = text.slice(0, -1)
    this.#told ||= text !== ''
    return text
  }

  /** What is left when the arguments have ended: all of them, where they were no text in an object. */
  end(): string {
    if (this.#told || this.#closed) return this.#half
    return freeformInput(this.#all)
  }

  #begins(): boolean {
    if (this.#all.length > LONGEST_HEAD && !HEAD.test(this.#all.slice(0, LONGEST_HEAD))) return false
    const head = HEAD.exec(this.#all)
    if (head) this.#at = head[0].length
    return head !== null
  }
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

function plain(unit: string): string {
  if (!unit.startsWith('\\')) return unit
  const mark = unit[1] ?? ''
  if (mark === 'u') return String.fromCharCode(Number.parseInt(unit.slice(2), 16))
  return ESCAPES[mark] ?? mark
}
