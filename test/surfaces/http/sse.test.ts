import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { listening, route } from '../listening.ts'
import { RawClient, signal } from '../raw.ts'

const headOf = (text: string): string => text.slice(0, text.indexOf('\r\n\r\n')).toLowerCase()

test('a stream has the headers that proxies and clients look for', async () => {
  const gateway = await listening({
    routes: [
      route('GET', '/', call => {
        const stream = call.open({ 'X-Service-Layer': 'l3', 'X-Service-Deflected': 'false' }, ': keep-alive\n\n')
        void stream.write('data: 1\n\n')
        stream.end()
      }),
    ],
  })
  const reply = await fetch(gateway.url)
  assert.is(reply.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.is(reply.headers.get('cache-control'), 'no-cache, no-transform')
  assert.is(reply.headers.get('x-accel-buffering'), 'no')
  assert.is(reply.headers.get('connection'), 'keep-alive')
  assert.is(reply.headers.get('x-service-layer'), 'l3')
  assert.ok(reply.headers.get('x-service-request-id'))
  assert.is(await reply.text(), 'data: 1\n\n')
  await gateway.dispose()
})

test('the head goes out at once, and each event when it is written', async () => {
  const next = [signal(), signal()]
  const gateway = await listening({
    routes: [
      route('GET', '/', async call => {
        const stream = call.open({}, '')
        await next[0]?.fired
        await stream.write('data: 1\n\n')
        await next[1]?.fired
        await stream.write('data: 2\n\n')
        stream.end()
      }),
    ],
  })
  const client = await RawClient.connect(gateway.port)
  client.send('GET / HTTP/1.1', 'host: x', 'connection: close', '', '')
  assert.match(headOf(await client.until(/\r\n\r\n/)), /200 ok/)
  next[0]?.fire()
  assert.not.match(await client.until(/data: 1/), /data: 2/)
  next[1]?.fire()
  await client.until(/data: 2/)
  await client.closed()
  await gateway.dispose()
})

test('a silent stream is kept alive, but never inside an event', async () => {
  const whole = signal()
  const silence = signal()
  const gateway = await listening({
    options: { keep_alive_secs: 0.02 },
    routes: [
      route('GET', '/silent', async call => {
        const stream = call.open({}, ': keep-alive\n\n')
        await whole.fired
        stream.end()
      }),
      route('GET', '/inside', async call => {
        const stream = call.open({}, ': keep-alive\n\n')
        await stream.write('data: begun')
        await silence.fired
        await stream.write(' and done\n\n')
        await whole.fired
        stream.end()
      }),
      route('GET', '/newlines', async call => {
        const stream = call.open({}, '\n')
        await whole.fired
        stream.end()
      }),
    ],
  })
  const clients = await Promise.all(
    ['/silent', '/inside', '/newlines'].map(async path => {
      const client = await RawClient.connect(gateway.port)
      client.send(`GET ${path} HTTP/1.1`, 'host: x', 'connection: close', '', '')
      return client
    }),
  )
  await clients[1]?.until(/begun/)
  await clients[0]?.until(/(: keep-alive[\s\S]+){5}/)
  silence.fire()
  await clients[1]?.until(/and done[\s\S]*: keep-alive/)
  await clients[2]?.until(/\r\n\r\n(1\r\n\n\r\n){3}/)
  assert.not.match(clients[1]?.text ?? '', /begun\r\n[\da-f]+\r\n: keep-alive/)
  whole.fire()
  for (const client of clients) await client.closed()
  await gateway.dispose()
})

test('a client that does not read holds the writer back, and reading lets it go on', async () => {
  const held = signal<number>()
  const finished = signal<number>()
  const block = `data: ${'x'.repeat(60_000)}\n\n`
  const gateway = await listening({
    routes: [
      route('GET', '/', async call => {
        const stream = call.open({}, '')
        let written = 0
        for (; written < 400; written++) {
          const full = stream.write(block)
          if (!full) continue
          held.fire(written)
          await full
        }
        stream.end()
        finished.fire(written)
      }),
    ],
  })
  const client = await RawClient.connect(gateway.port)
  client.socket.pause()
  client.send('GET / HTTP/1.1', 'host: x', 'connection: close', '', '')
  assert.ok((await held.fired) < 399)
  client.socket.resume()
  assert.is(await finished.fired, 400)
  const all = await client.closed()
  assert.is(all.split('data: ').length - 1, 400)
  await gateway.dispose()
})

test('a writer that was held back is let go when the client leaves', async () => {
  const held = signal()
  const left = signal<boolean>()
  const gateway = await listening({
    routes: [
      route('GET', '/', async call => {
        const stream = call.open({}, '')
        for (;;) {
          const full = stream.write(`data: ${'x'.repeat(60_000)}\n\n`)
          if (!full) continue
          held.fire()
          await full
          if (call.signal.aborted) break
        }
        assert.is(stream.write('data: nobody reads this\n\n'), undefined)
        stream.end()
        left.fire(call.signal.aborted)
      }),
    ],
  })
  const client = await RawClient.connect(gateway.port)
  client.socket.pause()
  client.send('GET / HTTP/1.1', 'host: x', '', '')
  await held.fired
  client.socket.destroy()
  assert.is(await left.fired, true)
  await gateway.dispose()
})

test('a stream whose route fails is cut, not ended as if all were well', async () => {
  const gateway = await listening({
    routes: [
      route('GET', '/', async call => {
        await call.open({}, '').write('data: 1\n\n')
        await new Promise(resolve => setImmediate(resolve))
        throw new Error('half way')
      }),
    ],
  })
  const client = await RawClient.connect(gateway.port)
  client.send('GET / HTTP/1.1', 'host: x', '', '')
  assert.not.match(await client.closed(), /\r\n0\r\n/)
  assert.is(gateway.log.filter(({ level }) => level === 'error').length, 1)
  await gateway.dispose()
})

test.run()
