import { setImmediate as nextTurn } from 'node:timers/promises'
import { Decompress } from 'fzstd'

/** Bytes that are read before other calls get their turn. */
const PIECE = 64 << 10
/** What every decoder has to be able to look back, whatever is sent. */
const LEAST_WINDOW = 8 << 20
const MAGIC = 0xfd2fb528
/** Frames that hold nothing for us carry one of sixteen marks. */
const SKIPPED = 0x184d2a5
/** A program that writes several does so for parts of megabytes; each makes the decoder ask for memory. */
const MOST_FRAMES = 128

/** Says that a body is larger than its limit. */
export class TooLarge extends Error {}

/**
 * The zstd frames of a body, decompressed and joined: node 20 cannot do it. It stops at `limit` bytes, and before it asks
 * for the memory that a frame only claims to need. Throws an `Error` for what is not made of whole frames.
 */
export async function unzstd(bytes: Uint8Array, limit: number): Promise<Buffer> {
  const frames = framesIn(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), limit)
  const chunks: Uint8Array[] = []
  let size = 0
  for (const [at, frame] of frames.entries()) {
    if (at > 0) await nextTurn()
    const decoder = new Decompress(chunk => {
      size += chunk.length
      if (size > limit) throw new TooLarge('the frames hold more')
      chunks.push(chunk.slice())
    })
    await decompress(decoder, frame)
  }
  return Buffer.concat(chunks, size)
}

async function decompress(decoder: Decompress, frame: Buffer): Promise<void> {
  for (let at = 0; at < frame.length; at += PIECE) {
    if (at > 0) await nextTurn()
    decoder.push(frame.subarray(at, at + PIECE), at + PIECE >= frame.length)
  }
}

/** Those that hold something, none of which asks for more than there may be. */
function framesIn(bytes: Buffer, limit: number): Buffer[] {
  const frames: Buffer[] = []
  let claimed = 0
  let rest = bytes
  for (let number = 0; number === 0 || rest.length > 0; number++) {
    if (number === MOST_FRAMES) throw new Error('too many frames')
    const skipped = skippedAt(rest)
    if (skipped === undefined) {
      const { window, content = 0, end } = measured(rest)
      claimed += content
      if (claimed > limit) throw new TooLarge('the frames say that they hold more')
      if (window > Math.max(limit, LEAST_WINDOW)) throw new TooLarge('the frame needs more memory')
      frames.push(rest.subarray(0, end))
      rest = rest.subarray(end)
    } else rest = rest.subarray(skipped)
  }
  return frames
}

/** Bytes of a frame that is to be skipped; `undefined` for any other. */
function skippedAt(bytes: Buffer): number | undefined {
  if (bytes.length < 8 || bytes.readUInt32LE(0) >>> 4 !== SKIPPED) return undefined
  const end = 8 + bytes.readUInt32LE(4)
  if (end > bytes.length) throw new Error('the frame is cut off')
  return end
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
