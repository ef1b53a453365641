import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type FrameFields,
  FrameWriter,
  frameReader,
} from '../../../../../plugins/layers/semantic-cache/engine/frames.ts'
import {
  type LookupMessage,
  readLookup,
  TO_ENGINE,
  writeLookup,
} from '../../../../../plugins/layers/semantic-cache/engine/messages.ts'

/** A socket that keeps what is written. */
class Written {
  readonly destroyed = false
  readonly chunks: Buffer[] = []
  write = (chunk: Buffer): void => void this.chunks.push(chunk)
}

const LOOKUP: LookupMessage = {
  id: 7,
  partition: 4_000_000_000,
  judging: 'all',
  most: 8,
  least: 0.85,
  bar: 0.973,
  now: 1.7e12,
  excluded: [1, 2, 3],
  text: 'Wie kündige ich? 怎么取消 🙂',
  vector: Float32Array.of(0.5, -0.25),
}

function written(count: number): Written {
  const socket = new Written()
  const writer = new FrameWriter(socket)
  for (let id = 0; id < count; id++) writeLookup(writer, { ...LOOKUP, id })
  writer.flush()
  return socket
}

test('what is written in one turn goes out at once', () => {
  assert.is(written(1000).chunks.length, 1)
})

test('a message comes out as it went in, wherever the pipe cuts it', () => {
  const [bytes = Buffer.alloc(0)] = written(3).chunks
  for (let size = 1; size < bytes.length; size += 7) {
    const found: LookupMessage[] = []
    const read = frameReader((kind: number, fields: FrameFields) => {
      assert.is(kind, TO_ENGINE.lookup)
      found.push(readLookup(fields))
    })
    for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size))
    assert.equal(
      found,
      [0, 1, 2].map(id => ({ ...LOOKUP, id })),
    )
  }
})

test('what is no frame is refused', () => {
  const read = frameReader(() => {})
  assert.throws(() => read(Buffer.from('ffffffff00', 'hex')), /frame/)
})

test.run()
