import { open, stat } from 'node:fs/promises'

const NEWLINE = 0x0a
const CHUNK = 64 << 10
/** A line is never longer; where a file has no line break in so many bytes, it is none of ours. */
const LONGEST_LINE = 1 << 20

/** The whole lines of a file from a byte on, piece by piece, each with the byte after it. */
export async function* linesOf(
  path: string,
  from = 0,
): AsyncGenerator<{ readonly line: string; readonly end: number }> {
  const handle = await open(path, 'r')
  try {
    const chunk = Buffer.alloc(CHUNK)
    let rest: Buffer = Buffer.alloc(0)
    let position = from
    for (;;) {
      const { bytesRead } = await handle.read(chunk, 0, CHUNK, position)
      if (bytesRead === 0) return
      let text = Buffer.concat([rest, chunk.subarray(0, bytesRead)])
      let end = position - rest.length
      position += bytesRead
      for (let at = text.indexOf(NEWLINE); at >= 0; at = text.indexOf(NEWLINE)) {
        end += at + 1
        yield { line: text.toString('utf8', 0, at), end }
        text = text.subarray(at + 1)
      }
      rest = text.length > LONGEST_LINE ? Buffer.alloc(0) : Buffer.from(text)
    }
  } finally {
    await handle.close()
  }
}

/** Bytes of a file; 0 where there is none. */
export const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    error => {
      if (error.code === 'ENOENT') return 0
      throw error
    },
  )
