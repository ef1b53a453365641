import { writeSync } from 'node:fs'
import { Writable } from 'node:stream'

type Terminal = typeof process.stdout

/** The other screen, no cursor, and no line that goes on in the next one. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J'
const LEAVE = '\u001b[0m\u001b[?7h\u001b[?25h\u001b[?1049l'
/** Terminals that know these show what is between them at once. */
const BEGIN = '\u001b[?2026h'
const END = '\u001b[?2026l'

/**
 * The whole screen of a terminal. It is written to in frames, and paints the lines that have changed. What was on the
 * terminal before comes back with `leave`.
 */
export class Screen extends Writable {
  readonly #terminal: Terminal
  #painted: readonly string[] = []
  #entered = false
  readonly #resized = (): void => {
    // The terminal has moved its lines: nothing of them is known any more.
    this.#painted = []
    if (this.#entered) this.#terminal.write('\u001b[2J')
    this.emit('resize')
  }

  constructor(terminal: Terminal) {
    super({ decodeStrings: false })
    this.#terminal = terminal
  }

  get columns(): number {
    return this.#terminal.columns
  }

  get rows(): number {
    return this.#terminal.rows
  }

  enter(): void {
    this.#entered = true
    this.#painted = []
    this.#terminal.write(ENTER)
    this.#terminal.on('resize', this.#resized)
  }

  /** At once, as the process may be about to end. Harmless a second time. */
  leave(): void {
    if (!this.#entered) return
    this.#entered = false
    this.#terminal.off('resize', this.#resized)
    try {
      writeSync(this.#terminal.fd, LEAVE)
    } catch {
      // The terminal is gone.
    }
  }

  override _write(frame: string, _: BufferEncoding, done: () => void): void {
    if (this.#entered && frame !== '') this.#paint(frame)
    done()
  }

  #paint(frame: string): void {
    const { lines, changes } = frameChanges(frame, this.#painted, this.rows)
    this.#painted = lines
    if (changes.length > 0) this.#terminal.write(`${BEGIN}${changes.join('')}${END}`)
  }
}

/** The lines of a frame, and what paints those that are not on the screen yet. */
export function frameChanges(
  frame: string,
  painted: readonly string[],
  rows: number,
): { readonly lines: readonly string[]; readonly changes: readonly string[] } {
  const given = frame.split('\n')
  const lines = Array.from({ length: rows }, (_, at) => given[at] ?? '')
  const changes = lines.flatMap((line, at) =>
    line === painted[at] ? [] : [`\u001b[${at + 1};1H\u001b[2K${line}\u001b[0m`],
  )
  return { lines, changes }
}
