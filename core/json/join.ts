import { timeSlice } from './time-slices.ts'

/** Bytes that are copied before anybody looks at the time. Fresh memory makes this slow: half a millisecond. */
const PIECE = 512 << 10

/** `Buffer.concat` in turns of the event loop. */
export async function joinInTurns(parts: readonly Uint8Array[]): Promise<Buffer> {
  const yieldIfDue = timeSlice()
  const joined = Buffer.allocUnsafeSlow(parts.reduce((size, { length }) => size + length, 0))
  let to = 0
  for (const part of parts)
    for (let from = 0; from < part.length; from += PIECE) {
      const piece = part.subarray(from, from + PIECE)
      joined.set(piece, to)
      to += piece.length
      const turn = yieldIfDue()
      if (turn) await turn
    }
  return joined
}
