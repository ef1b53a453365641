import { Cancellation, ProviderError } from 'deflector'
import { messages } from 'deflector/formats/messages'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../../core/clock.ts'
import { Incoming } from '../../../../plugins/providers/upstream/incoming.ts'
import { Reply, type ReplyStream } from '../../../../plugins/providers/upstream/reply.ts'
import { streamed } from '../../../../plugins/providers/upstream/streamed.ts'
import { failure } from '../vendor-faults.ts'
import { Controller } from './controller.ts'

const facts = { format: messages, name: 'acme', idleMs: 1000, clock: systemClock, secrets: [] }
const COMMENT = ': alive\n\n'
const PING = 'event: ping\ndata: {"type": "ping"}\n\n'

interface Endless {
  readonly reply: ReplyStream
  /** Bytes that were read. */
  readonly read: number
  readonly cancelled: boolean
}

/** A reply that repeats one event as long as anybody reads. */
function endless(event: string, stop = Number.POSITIVE_INFINITY): Endless {
  const chunk = Buffer.from(event.repeat(1000))
  const seen = { read: 0, cancelled: false }
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (; seen.read < stop && !seen.cancelled; seen.read += chunk.length) yield chunk
  }
  const cancel = (): void => {
    seen.cancelled = true
  }
  return Object.assign(seen, { reply: { chunks, framed: true, cancel, release: cancel } })
}

test('a vendor that sends pings without end is given up after 64 MiB', async () => {
  const vendor = endless(PING)
  const { reason, message } = await failure(streamed(vendor.reply, facts, {}))
  assert.equal([reason, message], ['protocol', 'acme sent 64 MiB without any content'])
  assert.ok(vendor.read < 64 << 20, `${vendor.read} bytes`)
  assert.ok(vendor.cancelled)
})

test('comments are kept nowhere, and need no limit', async () => {
  const vendor = endless(COMMENT, 80 << 20)
  const { message } = await failure(streamed(vendor.reply, facts, {}))
  assert.is(message, 'acme ended the stream before its terminal event')
})

test('pings and comments keep nobody waiting beyond the limit for the first content', async () => {
  const cancellation = new Cancellation()
  const incoming = new Incoming(cancellation)
  const headers = { 'content-type': 'text/event-stream' }
  const controller = new Controller()
  incoming.onResponseStart(controller, 200, headers)
  const answer = failure(streamed(new Reply({ status: 200, headers }, incoming, cancellation), facts, {}))
  const late = new ProviderError('timeout', 'acme said nothing for 30 s')
  for (const event of [PING, COMMENT, PING]) {
    incoming.onResponseData(controller, Buffer.from(event))
    await new Promise(setImmediate)
  }
  cancellation.cancel(late)
  assert.is(await answer, late)
})

test.run()
