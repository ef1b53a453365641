import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { GatewayError } from 'deflector'
import { z } from 'zod'
import { ReceivedBytes } from './received-bytes.ts'
import { TooLarge, unzstd } from './zstd.ts'

interface InflateOptions {
  readonly maxOutputLength: number
  /** The engine is handed over with what it made. */
  readonly info: true
}
type Engine = (bytes: Uint8Array, options: InflateOptions) => Promise<unknown>

/** With `info` node gives the engine too, which knows how many bytes it read. */
const inflated = z.object({ buffer: z.instanceof(Buffer), engine: z.object({ bytesWritten: z.number() }) })

/** Deflate shrinks to a 1,032nd at best. Only a bomb claims more, and no honest body grows past this from nothing. */
const BEST_RATIO = 1032
const SMALL = 1 << 20

/**
 * The whole body, decompressed.
 * @param limit bytes, before and after decompression
 * @throws GatewayError `too_large`, `unsupported_media`, or `bad_request` for a broken coding or a client that left
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  const coding = request.headers['content-encoding']?.trim().toLowerCase()
  const inflate = coding === undefined || coding === '' || coding === 'identity' ? undefined : inflateOf(coding)
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
  const bytes = await collect(request, limit)
  if (!inflate) return bytes
  try {
    const maxOutputLength = Math.min(limit, Math.max(SMALL, bytes.length * BEST_RATIO))
    const { buffer, engine } = inflated.parse(await inflate(bytes, { maxOutputLength, info: true }))
    // Bytes after the end of the coding would be read by no one, and could be anything.
    if (engine.bytesWritten < bytes.length) throw new Error('bytes follow the end of the coding')
    return buffer
  } catch (error) {
    if (error instanceof TooLarge || codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit)
    throw new GatewayError('bad_request', `the body is not valid ${coding}`)
  }
}

function collect(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const received = new ReceivedBytes(Number(request.headers['content-length'] ?? 0))
    const cut = (): void => {
      if (!request.complete) reject(new GatewayError('bad_request', 'the request ended before its body was complete'))
    }
    const onData = (chunk: Buffer): void => {
      if (received.size + chunk.length > limit) {
        request.off('data', onData)
        reject(tooLarge(limit))
      } else received.add(chunk)
    }
    request.on('data', onData)
    request.once('end', () => resolve(received.joined()))
    request.once('error', cut)
    request.once('close', cut)
  })
}

const tooLarge = (limit: number): GatewayError =>
  new GatewayError('too_large', `the body is larger than the ${limit} bytes that are taken here`)

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

function inflateOf(coding: string): Engine {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return promisify(zlib.gunzip)
    case 'br':
      return promisify(zlib.brotliDecompress)
    case 'deflate':
      return inflateEither
    case 'zstd':
      return zstd ? promisify(zstd) : inflateZstd
  }
  throw new GatewayError(
    'unsupported_media',
    `content-encoding ${coding} is not understood here; use gzip, deflate, br, zstd or none`,
  )
}

/** `deflate` means zlib's wrapping, but some clients send it bare; the low half of the first byte tells. */
const inflateEither: Engine = (bytes, options) =>
  promisify(((bytes[0] ?? 0) & 15) === 8 ? zlib.inflate : zlib.inflateRaw)(bytes, options)

/** Newer Node has it, version 20 has not. */
const { zstdDecompress: zstd } = zlib as { zstdDecompress?: typeof zlib.gunzip }

const inflateZstd: Engine = async (bytes, { maxOutputLength }) => ({
  buffer: await unzstd(bytes, maxOutputLength),
  engine: { bytesWritten: bytes.length },
})
