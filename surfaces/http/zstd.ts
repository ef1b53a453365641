import { setImmediate as nextTurn } from 'node:timers/promises'
import { Decompress } from 'fzstd'

/** Bytes that are read before other calls get their turn. */
const PIECE = 64 << 10
/** What every decoder has to be able to look back, whatever is sent. */
const LEAST_WINDOW = 8 << 20
const MAGIC = 0xfd2fb528

/** Says that a body is larger than its limit. */
export class TooLarge extends Error {}

/**
 * One zstd frame, decompressed: node 20 cannot do it. It stops at `limit` bytes, and before it asks for the memory that
 * a frame only claims to need. Throws an `Error` for what is no whole frame, or more than one.
 */
export async function unzstd(bytes: Uint8Array, limit: number): Promise<Buffer> {
  const frame = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { window, content, end } = measured(frame)
  if (content !== undefined && content > limit) throw new TooLarge('the frame says that it holds more')
  if (window > Math.max(limit, LEAST_WINDOW)) throw new TooLarge('the frame needs more memory')
  if (end < bytes.length) throw new Error('bytes follow the end of the coding')
  const chunks: Uint8Array[] = []
  let size = 0
  const decoder = new Decompress(chunk => {
    size += chunk.length
    if (size > limit) throw new TooLarge('the frame holds more')
    chunks.push(chunk.slice())
  })
  for (let at = 0; at < bytes.length; at += PIECE) {
    if (at > 0) await nextTurn()
    decoder.push(bytes.subarray(at, at + PIECE), at + PIECE >= bytes.length)
  }
  return Buffer.concat(chunks, size)
}

interface Measures {
  /** Bytes that a decoder has to remember. */
  readonly window: number
  /** Bytes that the frame says it holds. */
  readonly content: number | undefined
  /** Where the frame ends. */
  readonly end: number
}

/** What the heads of a frame and of its blocks say (RFC 8878). Throws for a frame that is cut off. */
function measured(frame: Buffer): Measures {
  if (frame.length < 6 || frame.readUInt32LE(0) !== MAGIC) throw new Error('no zstd frame')
  const descriptor = frame.readUInt8(4)
  const isSingle = (descriptor & 0x20) !== 0
  const contentBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0
  let at = 5
  const window = isSingle ? undefined : windowOf(frame.readUInt8(at++))
  at += dictionaryBytes
  const content = contentOf(frame, at, contentBytes)
  at += contentBytes
  for (;;) {
    const head = frame.readUIntLE(at, 3)
    const isRepeat = ((head >> 1) & 3) === 1
    at += 3 + (isRepeat ? 1 : head >> 3)
    if ((head & 1) === 1) break
  }
  const end = at + ((descriptor & 4) === 0 ? 0 : 4)
  if (end > frame.length) throw new Error('the frame is cut off')
  return { window: window ?? content ?? 0, content, end }
}

function windowOf(byte: number): number {
  const base = 2 ** (10 + (byte >> 3))
  return base + (base / 8) * (byte & 7)
}

function contentOf(frame: Buffer, at: number, bytes: number): number | undefined {
  switch (bytes) {
    case 0:
      return undefined
    case 1:
      return frame.readUInt8(at)
    case 2:
      return frame.readUInt16LE(at) + 256
    case 4:
      return frame.readUInt32LE(at)
    default:
      return Number(frame.readBigUInt64LE(at))
  }
}
