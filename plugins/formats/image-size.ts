/** Base64 characters of an image that are looked at: a photograph may hold a thumbnail before its size. */
const HEAD = 256 << 10

export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Width and height of a PNG, GIF, WebP or JPEG image in base64, from its first bytes; `undefined` for any other. */
export function imageSize(base64: string): ImageSize | undefined {
  const bytes = Buffer.from(base64.slice(0, 64), 'base64')
  if (bytes.length < 30) return undefined
  const size = fixedPlace(bytes) ?? (isJpeg(bytes) ? jpegSize(Buffer.from(base64.slice(0, HEAD), 'base64')) : undefined)
  return size && size.width > 0 && size.height > 0 ? size : undefined
}

const isJpeg = (bytes: Buffer): boolean => bytes[0] === 0xff && bytes[1] === 0xd8

function fixedPlace(bytes: Buffer): ImageSize | undefined {
  const text = (from: number, to: number): string => bytes.toString('latin1', from, to)
  if (text(1, 4) === 'PNG') return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  if (text(0, 3) === 'GIF') return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  if (text(0, 4) !== 'RIFF' || text(8, 12) !== 'WEBP') return undefined
  switch (text(12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
    }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    default:
      return undefined
  }
}

/** Segments that begin a frame and so hold its size; three numbers between them mean something else. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

function jpegSize(bytes: Buffer): ImageSize | undefined {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    if (isFrame(bytes[at + 1] ?? 0)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
  }
  return undefined
}
