import { Cancellation } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Incoming } from '../../../../plugins/providers/upstream/incoming.ts'
import { streamedMediaType } from '../../../../plugins/providers/upstream/media-type.ts'
import { Reply } from '../../../../plugins/providers/upstream/reply.ts'

const controller = { paused: false, aborted: false, reason: null, rawHeaders: null, rawTrailers: null }
const under = { ...controller, pause() {}, resume() {}, abort() {} }

/** A reply under a type that says nothing, and the way to send its body. */
function coming(): { reply: Reply; incoming: Incoming } {
  const cancellation = new Cancellation()
  const incoming = new Incoming(cancellation)
  const headers = { 'content-type': 'text/plain' }
  return { reply: new Reply({ status: 200, headers }, incoming, cancellation), incoming }
}

const bodies = [
  ['data: {}\n\n', 'text/event-stream'],
  ['data:{}\n\n', 'text/event-stream'],
  ['event: ping\ndata: {}\n\n', 'text/event-stream'],
  [': comment\n\n', 'text/event-stream'],
  ['id: 1\ndata: {}\n\n', 'text/event-stream'],
  ['retry: 9\n\n', 'text/event-stream'],
  ['\ufeff\r\n\ndata: {}\n\n', 'text/event-stream'],
  ['{"data":1}', 'json'],
  ['\ufeff{"data":1}', 'json'],
  ['"data: x"', 'json'],
  [' \n {}', 'json'],
  ['dat', 'json'],
  ['', 'json'],
  [`${'\n'.repeat(3000)}{}`, 'json'],
] as const

for (const [body, type] of bodies) {
  test(`${JSON.stringify(body.slice(0, 30))} is ${type}, and is still there byte for byte`, async () => {
    for (const size of [1, body.length * 3 + 1]) {
      for (const whole of [true, false]) {
        const { reply, incoming } = coming()
        const bytes = Buffer.from(body)
        for (let at = 0; at < bytes.length; at += size) incoming.onResponseData(under, bytes.subarray(at, at + size))
        incoming.onResponseEnd()
        assert.is(await streamedMediaType(reply), type)
        const read: Uint8Array[] = []
        if (whole) read.push(await reply.bytes())
        else for await (const chunk of reply.chunks()) read.push(chunk)
        assert.is(Buffer.concat(read).toString(), body)
      }
    }
  })
}

test('no more is waited for than tells', async () => {
  const { reply, incoming } = coming()
  const type = streamedMediaType(reply)
  for (const byte of 'data:') incoming.onResponseData(under, Buffer.from(byte))
  assert.is(await type, 'text/event-stream')
  const other = coming()
  other.incoming.onResponseData(under, Buffer.from('{'))
  assert.is(await streamedMediaType(other.reply), 'json')
})

test.run()
