import { Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { ProviderError } from 'deflector'

/** The bytes of a body without its content encodings. Leaving early does not end the call that feeds it. */
export async function* decoded(source: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<Uint8Array> {
  const codings = encoding
    .toLowerCase()
    .split(',')
    .map(coding => coding.trim())
    .filter(coding => coding !== '' && coding !== 'identity')
  let chunks = source
  for (const coding of codings.reverse()) chunks = inflated(chunks, coding)
  yield* chunks
}

async function* inflated(chunks: AsyncIterable<Uint8Array>, coding: string): AsyncGenerator<Uint8Array> {
  const reader = chunks[Symbol.asyncIterator]()
  const first = await reader.next()
  if (first.done) return
  async function* all(): AsyncGenerator<Uint8Array> {
    yield first.value
    for (let next = await reader.next(); !next.done; next = await reader.next()) yield next.value
  }
  const input = Readable.from(all(), { objectMode: false })
  const inflate = inflater(coding, first.value)
  input.on('error', error => inflate.destroy(error))
  inflate.on('error', () => {}) // the reader gets it thrown
  try {
    yield* input.pipe(inflate)
  } finally {
    input.destroy()
    inflate.destroy()
    await reader.return?.()
  }
}

function inflater(coding: string, first: Uint8Array): Transform {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'br':
      return createBrotliDecompress()
    case 'deflate':
      // Some hosts send it without the zlib wrapper that RFC 9110 asks for.
      return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw()
    default:
      throw new ProviderError(
        'protocol',
        `the answer is compressed in a way that was not offered (${coding.slice(0, 20)})`,
      )
  }
}
