import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { type ErrorDialect, GatewayError } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { native } from 'deflector/formats/native'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'
import { zstdBomb } from '../support/zstd-frame.ts'
import { RawClient } from '../surfaces/raw.ts'

const LIMIT = 32 << 20
const MEGABYTES_33 = 33 << 20

const surfaces: readonly (readonly [path: string, dialect: ErrorDialect])[] = [
  ['/api/chat', native],
  ['/v1/chat/completions', chatCompletions],
  ['/v1/completions', chatCompletions],
  ['/v1/embeddings', chatCompletions],
  ['/v1/moderations', chatCompletions],
  ['/v1/responses', responses],
  ['/v1/messages', messages],
  ['/v1/messages/count_tokens', messages],
  ['/v1beta/models/m:generateContent', generateContent],
  ['/v1beta/models/m:streamGenerateContent?alt=sse', generateContent],
  ['/v1beta/models/m:countTokens', generateContent],
  ['/v1beta/models/m:embedContent', generateContent],
]

const zeros = Buffer.alloc(MEGABYTES_33)
const bombs: readonly (readonly [coding: string, bytes: Buffer])[] = [
  ['gzip', gzipSync(zeros)],
  ['deflate', deflateSync(zeros)],
  ['deflate', deflateRawSync(zeros)],
  ['br', brotliCompressSync(zeros)],
  ['zstd', zstdBomb(MEGABYTES_33 / (128 << 10))],
]

const upstream = await startUpstream()
const gateway = await startGateway({ upstream, provider: 'openai' })

for (const [path, dialect] of surfaces) {
  const refused = (id: string): unknown =>
    JSON.parse(
      JSON.stringify(
        dialect.encodeError(
          new GatewayError('too_large', `the body is larger than the ${LIMIT} bytes that are taken here`),
          id,
        ),
      ),
    )

  test(`${path}: 33 MB are refused in the dialect before a byte of them came`, async () => {
    const client = await RawClient.connect(Number(new URL(gateway.url).port))
    const head = [`POST ${path} HTTP/1.1`, 'host: localhost', 'content-type: application/json']
    client.send(...head, `content-length: ${MEGABYTES_33}`, '', '')
    const reply = await client.until(/\}\s*$/)
    assert.match(reply, /^HTTP\/1\.1 413 /)
    const id = /^x-service-request-id: (.*)\r$/im.exec(reply)?.[1] ?? ''
    assert.equal(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n') + 4)), refused(id))
    client.socket.destroy()
  })

  test(`${path}: what unfolds to 33 MB is refused in the dialect, in each coding`, async () => {
    for (const [coding, bytes] of bombs) {
      const reply = await fetch(gateway.url + path, {
        method: 'POST',
        body: new Uint8Array(bytes),
        headers: { 'content-type': 'application/json', 'content-encoding': coding },
      })
      assert.is(reply.status, 413, coding)
      assert.equal(await reply.json(), refused(reply.headers.get('x-service-request-id') ?? ''), coding)
    }
    assert.is(upstream.calls.length, 0)
  })
}

test.run()
