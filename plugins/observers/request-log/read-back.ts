import { type FileHandle, open } from 'node:fs/promises'
import { isObject, timeSlice } from 'deflector'
import { isWanted, type RequestEntry, type RequestQuery } from 'deflector/facets/request-history'

const CHUNK = 256 << 10

/** The entries of these files that are wanted, newest first. Files, and lines in them, may be missing or broken. */
export async function entriesOf(paths: readonly string[], query: RequestQuery): Promise<RequestEntry[]> {
  const wanted: RequestEntry[] = []
  for (const path of paths) {
    for await (const line of linesBackwards(path)) {
      if (wanted.length >= query.limit) return wanted
      const entry = parsed(line)
      if (entry && isWanted(entry, query, line)) wanted.push(entry)
    }
  }
  return wanted
}

/** The newest entry with this id. */
export async function entryOf(paths: readonly string[], requestId: string): Promise<RequestEntry | undefined> {
  const member = `"request_id":${JSON.stringify(requestId)}`
  for (const path of paths) {
    for await (const line of linesBackwards(path)) {
      const entry = line.includes(member) ? parsed(line) : undefined
      if (entry?.request_id === requestId) return entry
    }
  }
  return undefined
}

function parsed(line: string): RequestEntry | undefined {
  try {
    const entry: unknown = JSON.parse(line)
    return isObject(entry) ? entry : undefined
  } catch {
    return undefined
  }
}

/** The lines of a file from its end, in turns of the event loop. */
async function* linesBackwards(path: string): AsyncGenerator<string> {
  const file = await open(path, 'r').catch(() => undefined)
  if (!file) return
  const yieldIfDue = timeSlice()
  try {
    /** The beginning of a line whose end was read before, last part first. */
    let rest: Buffer[] = []
    for (let end = (await file.stat()).size; end > 0; ) {
      const start = Math.max(0, end - CHUNK)
      const chunk = await readExactly(file, start, end)
      end = start
      let until = chunk.length
      for (let newline = chunk.lastIndexOf(0x0a); newline >= 0; newline = lastNewline(chunk, newline)) {
        const line = Buffer.concat([chunk.subarray(newline + 1, until), ...rest]).toString('utf8')
        rest = []
        until = newline
        if (line !== '') yield line
        await yieldIfDue()
      }
      rest.unshift(Buffer.from(chunk.subarray(0, until)))
    }
    const first = Buffer.concat(rest).toString('utf8')
    if (first !== '') yield first
  } finally {
    await file.close()
  }
}

const lastNewline = (chunk: Buffer, before: number): number => (before === 0 ? -1 : chunk.lastIndexOf(0x0a, before - 1))

async function readExactly(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
  return buffer.subarray(0, bytesRead)
}
