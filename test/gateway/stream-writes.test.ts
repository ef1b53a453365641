import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'
import { CHAT_STREAMS } from '../support/vendor-streams.ts'
import { RawClient } from '../surfaces/raw.ts'

for (const [path, more] of [
  ['/v1/chat/completions', {}],
  ['/v1/messages', { max_tokens: 9 }],
] as const) {
  test(`${path}: frames that arrive together leave in one write`, async () => {
    const [stream] = CHAT_STREAMS
    const frames = stream?.wires ?? []
    assert.ok(frames.length > 10)
    const upstream = await startUpstream()
    upstream.script({ sse: [frames.join('')] })
    const gateway = await startGateway({ upstream })
    const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }], ...more })
    const client = await RawClient.connect(Number(new URL(gateway.url).port))
    client.send(
      `POST ${path} HTTP/1.1`,
      'host: localhost',
      'connection: close',
      `content-length: ${Buffer.byteLength(body)}`,
      '',
      body,
    )
    const text = await client.until(/\r\n0\r\n\r\n$/)
    await client.closed()
    const sizes = text.slice(text.indexOf('\r\n\r\n') + 4).match(/^[0-9a-f]+\r$/gm) ?? []
    assert.is(sizes.length, 2, 'all frames, and the end')
  })
}

test.run()
