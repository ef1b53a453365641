import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ReceivedBytes } from '../../../surfaces/http/received-bytes.ts'

const CHUNK = 300_000
const chunk = (at: number): Buffer => Buffer.alloc(CHUNK, at)

function received(chunks: readonly Buffer[], announced: number): ReceivedBytes {
  const bytes = new ReceivedBytes(announced)
  for (const one of chunks) bytes.add(one)
  return bytes
}

test('gives the bytes as they came, whether their number was announced or not', async () => {
  for (const count of [0, 1, 2, 3, 4, 5, 9]) {
    const chunks = Array.from({ length: count }, (_, at) => chunk(at))
    for (const announced of [0, count * CHUNK]) {
      const bytes = received(chunks, announced)
      assert.is(bytes.size, count * CHUNK)
      assert.ok(Buffer.concat(chunks).equals(await bytes.joined()), `${count} of ${announced}`)
    }
  }
})

test('a large body whose length is known is whole as soon as its last byte is there', () => {
  const bytes = received([1, 2, 3, 4, 5].map(chunk), 5 * CHUNK)
  assert.instance(bytes.joined(), Uint8Array)
})

test('a small body of one piece is not copied', () => {
  const [one] = [chunk(1)]
  assert.is(received([one], CHUNK).joined(), one)
})

test.run()
