/** Bytes that are parsed in one go: a millisecond at the worst. */
export const PIECE = 32 << 10
const BACKSLASH = 0x5c
const LOWER_U = 0x75
/** Bytes of the longest escape, `\u0000`. */
const ESCAPE = 6

interface Source {
  readonly json: Buffer
  readonly yieldIfDue: () => Promise<void> | undefined
}

/** The string between the two places, a piece at a time. */
export async function readLongString({ json, yieldIfDue }: Source, from: number, to: number): Promise<string> {
  const last = to - 1
  const narrow = new NarrowText(to - from)
  let wide: string | undefined
  for (let at = from + 1; at < last; ) {
    await yieldIfDue()
    const end = at + PIECE < last ? endOfPiece(json, at, at + PIECE) : last
    const piece = String(JSON.parse(`"${json.toString('utf8', at, end)}"`))
    if (wide === undefined && !narrow.add(piece)) wide = narrow.text()
    if (wide !== undefined) wide += piece
    at = end
  }
  await yieldIfDue()
  return wide ?? narrow.text()
}

const WIDE = /[\u0100-\uffff]/

/**
 * Characters that take a byte each. The engine joins added strings only when the result is first read. For a long one
 * that blocks the event loop much longer than one copy of bytes.
 */
class NarrowText {
  readonly #bytes: Buffer
  #length = 0

  constructor(most: number) {
    this.#bytes = Buffer.allocUnsafeSlow(most)
  }

  /** False where a character is wider; nothing is added then. */
  add(piece: string): boolean {
    if (WIDE.test(piece)) return false
    this.#length += this.#bytes.write(piece, this.#length, 'latin1')
    return true
  }

  text(): string {
    return this.#bytes.toString('latin1', 0, this.#length)
  }
}

/** A place at or before `end` that is neither inside a character nor inside an escape. */
function endOfPiece(json: Buffer, start: number, end: number): number {
  while (end > start + 8 && ((json[end] ?? 0) & 0xc0) === 0x80) end--
  let slash = end - 1
  while (slash > end - ESCAPE && json[slash] !== BACKSLASH) slash--
  if (json[slash] !== BACKSLASH) return end
  let slashes = 1
  while (slash - slashes >= start && json[slash - slashes] === BACKSLASH) slashes++
  const length = json[slash + 1] === LOWER_U ? ESCAPE : 2
  return slashes % 2 === 1 && slash + length > end ? slash : end
}
