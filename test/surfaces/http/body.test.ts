import { randomBytes } from 'node:crypto'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { isGatewayError } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Listening, listening, route, text } from '../listening.ts'
import { RawClient, signal } from '../raw.ts'

const LIMIT = 2 << 20
const context: { gateway?: Listening } = {}
const failures: unknown[] = []
const lengths = { read: 0 }
const cut = signal()

test.before(async () => {
  context.gateway = await listening({
    routes: [
      route('POST', '/length', async call => {
        lengths.read++
        text(call, String((await call.body()).length))
      }),
      route('POST', '/echo', async call => text(call, Buffer.from(await call.body()).toString('utf8'))),
      route('POST', '/small', async call => text(call, String((await call.body(16)).length))),
      route('POST', '/unread', call => text(call, 'not interested')),
      route('POST', '/watch', async call => {
        try {
          await call.body()
        } catch (error) {
          failures.push(error)
          if (call.signal.aborted) cut.fire()
          else call.signal.addEventListener('abort', () => cut.fire())
          throw error
        }
      }),
    ],
    options: { max_body_bytes: LIMIT },
  })
})
test.after(() => context.gateway?.dispose())

const url = (path: string): string => `${context.gateway?.url}${path}`
const port = (): number => context.gateway?.port ?? 0
const post = (
  path: string,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  coding?: string,
): Promise<Response> =>
  fetch(url(path), { method: 'POST', body, duplex: 'half', ...(coding && { headers: { 'content-encoding': coding } }) })

const sentence = 'Grüße 🌍 '.repeat(500)

for (const [coding, compress] of [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['GZIP', gzipSync],
] as const) {
  test(`reads a body in ${coding} (${compress.name})`, async () => {
    const reply = await post('/echo', new Uint8Array(compress(sentence)), coding)
    assert.is(await reply.text(), sentence)
  })
}

for (const [coding, compress] of [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
] as const) {
  test(`refuses bytes behind a body in ${coding} (${compress.name})`, async () => {
    for (const junk of ['junk', 'x'.repeat(300_000)]) {
      const body = new Uint8Array(Buffer.concat([compress(sentence), Buffer.from(junk)]))
      assert.is((await post('/echo', body, coding)).status, 400)
    }
  })
}

test('reads gzip of several members', async () => {
  const body = new Uint8Array(Buffer.concat([gzipSync('one '), gzipSync('two')]))
  assert.is(await (await post('/echo', body, 'gzip')).text(), 'one two')
})

test('reads a body that comes in pieces, and an empty one', async () => {
  const pieces = new ReadableStream({
    start(controller) {
      for (const piece of ['one ', 'two ', 'three']) controller.enqueue(Buffer.from(piece))
      controller.close()
    },
  })
  assert.is(await (await post('/echo', pieces)).text(), 'one two three')
  assert.is(await (await post('/length', '')).text(), '0')
})

test('a body as large as the limit is read, one byte more is a 413', async () => {
  assert.is(await (await post('/length', new Uint8Array(LIMIT))).text(), String(LIMIT))
  assert.is((await post('/length', new Uint8Array(LIMIT + 1))).status, 413)
  assert.is((await post('/small', 'seventeen letters')).status, 413)
  assert.is(await (await post('/small', 'sixteen  letters')).text(), '16')
})

test('a body announced as too large is refused before a byte of it came', async () => {
  const client = await RawClient.connect(port())
  client.send('POST /length HTTP/1.1', 'host: x', `content-length: ${LIMIT + 1}`, '', '')
  assert.match(await client.until(/\}$/), /^HTTP\/1\.1 413 /)
  client.socket.destroy()
})

test('a client that asks before it sends is told to go on only when the body may come', async () => {
  const client = await RawClient.connect(port())
  client.send('POST /echo HTTP/1.1', 'host: x', 'expect: 100-continue', 'content-length: 2', '', '')
  assert.match(await client.until(/\r\n\r\n/), /^HTTP\/1\.1 100 /)
  client.send('ok')
  await client.until(/\r\n\r\nok$/)
  client.socket.destroy()
  const large = await RawClient.connect(port())
  large.send('POST /echo HTTP/1.1', 'host: x', 'expect: 100-continue', `content-length: ${LIMIT + 1}`, '', '')
  assert.match(await large.closed(), /^HTTP\/1\.1 413 /)
})

test('an endless chunked body is refused at the limit', async () => {
  const client = await RawClient.connect(port())
  client.send('POST /length HTTP/1.1', 'host: x', 'transfer-encoding: chunked', '', '')
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
  for (let sent = 0; sent <= LIMIT; sent += 0x10000) client.send(chunk)
  assert.match(await client.until(/\}$/), /^HTTP\/1\.1 413 /)
  client.socket.destroy()
})

test('a bomb is refused at the limit, whatever it would unfold to', async () => {
  for (const [coding, compress] of [
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ] as const) {
    const reply = await post('/length', new Uint8Array(compress(Buffer.alloc(8 << 20))), coding)
    assert.is(reply.status, 413, coding)
  }
})

test('a body that unfolds more than any honest one is refused below the limit too', async () => {
  const bomb = brotliCompressSync(Buffer.alloc(LIMIT - 1))
  assert.ok(bomb.length * 1032 < LIMIT)
  assert.is((await post('/length', new Uint8Array(bomb), 'br')).status, 413)
})

test('random bytes survive compression', async () => {
  const bytes = randomBytes(300_000)
  assert.is(await (await post('/length', new Uint8Array(gzipSync(bytes)), 'gzip')).text(), '300000')
})

test('a coding we lack is a 415 that names it and what we have', async () => {
  const before = lengths.read
  const reply = await post('/length', 'whatever', 'compress')
  assert.is(reply.status, 415)
  assert.match(((await reply.json()) as { message: string }).message, /compress.*gzip/)
  assert.is(lengths.read, before + 1)
})

test('a broken or cut compressed body is a 400', async () => {
  assert.is((await post('/length', 'not gzip at all', 'gzip')).status, 400)
  assert.is((await post('/length', new Uint8Array(gzipSync(sentence).subarray(0, 40)), 'gzip')).status, 400)
})

test('the connection survives a body that nobody read', async () => {
  const client = await RawClient.connect(port())
  client.send('POST /unread HTTP/1.1', 'host: x', 'content-length: 100000', '', 'x'.repeat(100_000))
  await client.until(/not interested$/)
  client.text = ''
  client.send('POST /echo HTTP/1.1', 'host: x', 'content-length: 2', '', 'ok')
  await client.until(/\r\n\r\nok$/)
  client.socket.destroy()
})

test('a client that leaves in mid-body ends the read and aborts the signal', async () => {
  const client = await RawClient.connect(port())
  client.send('POST /watch HTTP/1.1', 'host: x', 'content-length: 100', '', 'only this')
  client.socket.end()
  await cut.fired
  assert.is(failures.length, 1)
  assert.ok(isGatewayError(failures[0]))
})

test.run()
