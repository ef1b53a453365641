import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Keep } from '../../../core/keep.ts'
import { listening, route, small, text } from '../listening.ts'
import { RawClient, signal } from '../raw.ts'

const refusal = (generation: { start(): Promise<void> }): Promise<string> => generation.start().then(() => '', String)

const refuses = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => false,
    () => true,
  )

test('a WebSocket upgrade is answered 426 at once', async () => {
  const gateway = await listening({ routes: [route('GET', '/v1/responses', call => text(call, 'no'))] })
  const client = await RawClient.connect(gateway.port)
  client.send(
    'GET /v1/responses HTTP/1.1',
    'host: x',
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    '',
    '',
  )
  const reply = await client.closed()
  assert.match(reply, /^HTTP\/1\.1 426 /)
  assert.match(reply, /x-service-request-id: \w+/)
  await gateway.dispose()
})

test('a request without a Host header is told so, as every reply is with an id', async () => {
  const gateway = await listening({ routes: [route('GET', '/here', call => text(call, 'here'))] })
  const client = await RawClient.connect(gateway.port)
  client.send('GET /here HTTP/1.1', 'connection: close', '', '')
  const reply = await client.closed()
  assert.match(reply, /^HTTP\/1\.1 400 /)
  assert.match(reply, /x-service-request-id: \w+/)
  assert.match(reply, /needs a Host header/)
  const old = await RawClient.connect(gateway.port)
  old.send('GET /here HTTP/1.0', '', '')
  assert.match(await old.closed(), /^HTTP\/1\.1 200 /)
  await gateway.dispose()
})

test('an expectation that nobody knows is passed over', async () => {
  const gateway = await listening({ routes: [route('GET', '/here', call => text(call, 'here'))] })
  const client = await RawClient.connect(gateway.port)
  client.send('GET /here HTTP/1.1', 'host: localhost', 'expect: miracles', 'connection: close', '', '')
  assert.match(await client.closed(), /^HTTP\/1\.1 200 /)
  await gateway.dispose()
})

test('who takes the gateway for a proxy is told that it is none', async () => {
  const gateway = await listening({ routes: [route('GET', '/here', call => text(call, 'here'))] })
  const client = await RawClient.connect(gateway.port)
  client.send('CONNECT api.example.com:443 HTTP/1.1', 'host: api.example.com:443', '', '')
  const reply = await client.closed()
  assert.match(reply, /^HTTP\/1\.1 405 /)
  assert.match(reply, /x-service-request-id: \w+/)
  assert.match(reply, /set the base URL/)
  await gateway.dispose()
})

test('an upgrade to HTTP/2 is declined by answering in HTTP/1.1', async () => {
  const gateway = await listening({
    routes: [route('POST', '/echo', async call => text(call, String((await call.body()).length)))],
  })
  const client = await RawClient.connect(gateway.port)
  client.send('POST /echo HTTP/1.1', 'host: x', 'connection: Upgrade', 'upgrade: h2c', 'content-length: 3', '', 'abc')
  assert.match(await client.until(/\r\n\r\n3$/), /^HTTP\/1\.1 200 /)
  client.socket.destroy()
  await gateway.dispose()
})

test('what is not HTTP gets a 400 and the line is closed', async () => {
  const gateway = await listening({})
  const client = await RawClient.connect(gateway.port)
  client.send('GET / HTTP/9.9 nonsense', '', '')
  const reply = await client.closed()
  assert.match(reply, /^HTTP\/1\.1 400 /)
  assert.match(reply, /x-service-request-id: \w+/)
  assert.match(reply, /X-Service-Layer: l0/)
  await gateway.dispose()
})

test('a request in absolute form reaches its path', async () => {
  const gateway = await listening({ routes: [route('GET', '/here', call => text(call, 'found'))] })
  const client = await RawClient.connect(gateway.port)
  client.send('GET http://gateway.local/here?a=1 HTTP/1.1', 'host: x', '', '')
  await client.until(/found$/)
  client.socket.destroy()
  await gateway.dispose()
})

test('a client that leaves aborts the signal, one that got its reply does not', async () => {
  const arrived = signal<AbortSignal>()
  const done = signal<AbortSignal>()
  const gateway = await listening({
    routes: [
      route('GET', '/wait', async call => {
        arrived.fire(call.signal)
        await new Promise(resolve => call.signal.addEventListener('abort', resolve))
      }),
      route('GET', '/quick', call => {
        done.fire(call.signal)
        text(call, 'done')
      }),
    ],
  })
  const client = await RawClient.connect(gateway.port)
  client.send('GET /wait HTTP/1.1', 'host: x', '', '')
  const leaving = await arrived.fired
  assert.is(leaving.aborted, false)
  client.socket.destroy()
  if (!leaving.aborted) await once(leaving, 'abort')
  const quick = await RawClient.connect(gateway.port)
  quick.send('GET /quick HTTP/1.1', 'host: x', 'connection: close', '', '')
  await quick.closed()
  assert.is((await done.fired).aborted, false)
  assert.is(gateway.log.filter(({ level }) => level === 'error').length, 0)
  await gateway.dispose()
})

test('a port in use stops the start with one line that names address and setting', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const bound = other.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  const generation = small({ options: { port } })
  try {
    await generation.start()
    assert.unreachable('it started')
  } catch (error) {
    assert.instance(error, Error)
    const { message } = error as Error
    assert.ok(message.includes(`127.0.0.1:${port}`))
    assert.ok(message.includes('server.port'))
    assert.ok(message.includes('SERVICE__PORT'))
    assert.not.match(message, /\n/)
  }
  await generation.dispose()
  other.close()
})

test('an address that cannot be had is told with the setting of the address, which a pipeline file may replace', async () => {
  const generation = small({ options: { host: '192.0.2.1', port: 0 } })
  const said = await refusal(generation)
  await generation.dispose()
  assert.match(
    said,
    /cannot listen on 192\.0\.2\.1:0 \(EADDRNOTAVAIL\): server\.host \(SERVICE__HOST\) sets the address, unless/,
  )
})

test('a name that nobody knows is told as such', async () => {
  const generation = small({ options: { host: 'no name', port: 0 } })
  assert.match(
    await refusal(generation),
    'this machine knows no such name; server.host (SERVICE__HOST) takes an address',
  )
  await generation.dispose()
})

test('it can be disposed without having been started', async () => {
  await small({}).dispose()
})

test('the next generation takes over the socket under load and no request is lost', async () => {
  const keep = new Keep()
  const options = { port: 0 }
  let generation = small({
    keep,
    options,
    routes: [route('POST', '/n', async call => text(call, `1 ${(await call.body()).length}`))],
  })
  await generation.start()
  generation.ready()
  const { port } = generation.address()
  const answers = new Map<string, number>()
  let stop = false
  const load = Array.from({ length: 8 }, async () => {
    while (!stop) {
      const reply = await fetch(`http://127.0.0.1:${port}/n`, { method: 'POST', body: 'xyz' })
      assert.is(reply.status, 200)
      const answer = await reply.text()
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
    }
  })
  const seen = async (answer: string): Promise<void> => {
    while ((answers.get(answer) ?? 0) < 20) await new Promise(resolve => setImmediate(resolve))
  }
  for (let n = 2; n <= 6; n++) {
    await seen(`${n - 1} 3`)
    const next = small({
      keep,
      options,
      routes: [route('POST', '/n', async call => text(call, `${n} ${(await call.body()).length}`))],
    })
    await next.start()
    next.ready()
    await generation.dispose()
    generation = next
    assert.is(next.address().port, port)
  }
  await seen('6 3')
  stop = true
  await Promise.all(load)
  assert.is(answers.size, 6)
  await generation.dispose()
})

test('a call stays with the generation that took it', async () => {
  const keep = new Keep()
  const arrived = signal()
  const go = signal()
  const first = small({
    keep,
    routes: [
      route('GET', '/', async call => {
        arrived.fire()
        await go.fired
        text(call, 'first')
      }),
    ],
  })
  await first.start()
  first.ready()
  const url = `http://127.0.0.1:${first.address().port}/`
  const slow = fetch(url)
  await arrived.fired
  const second = small({ keep, routes: [route('GET', '/', call => text(call, 'second'))] })
  await second.start()
  second.ready()
  assert.is(await (await fetch(url)).text(), 'second')
  go.fire()
  assert.is(await (await slow).text(), 'first')
  await first.dispose()
  assert.is(await (await fetch(url)).text(), 'second')
  await second.dispose()
})

test('a time limit that a reload changed holds on the socket that it kept', async () => {
  const keep = new Keep()
  const read = route('POST', '/', async call => text(call, String((await call.body()).length)))
  const first = await listening({ keep, routes: [read] })
  const next = small({ keep, options: { request_timeout_secs: 0.1 }, routes: [read] })
  await next.start()
  next.ready()
  assert.is(next.address().port, first.port)
  const client = await RawClient.connect(first.port)
  client.send('POST / HTTP/1.1', 'host: x', 'content-length: 5', '', 'abc')
  assert.match(await client.closed(), /^HTTP\/1\.1 408 /)
  await first.dispose()
  await next.dispose()
})

test('a time limit below that of a head starts, and holds for the head too', async () => {
  const gateway = await listening({ options: { request_timeout_secs: 0.1 } })
  const client = await RawClient.connect(gateway.port)
  client.send('POST / HTTP/1.1', 'host: x', '')
  assert.match(await client.closed(), /^HTTP\/1\.1 408 /)
  await gateway.dispose()
})

test('a generation that does not start leaves the socket to the running one', async () => {
  const gateway = await listening({ routes: [route('GET', '/', call => text(call, 'still here'))] })
  const next = small({ keep: gateway.keep })
  await next.start()
  await next.dispose()
  assert.is(await (await fetch(gateway.url)).text(), 'still here')
  await gateway.dispose()
})

test('a new port takes over, and the old one takes no more connections', async () => {
  const keep = new Keep()
  const first = await listening({ keep })
  const next = small({ keep, options: { host: 'localhost' }, routes: [route('GET', '/', call => text(call, 'moved'))] })
  await next.start()
  next.ready()
  const { port } = next.address()
  assert.is.not(port, first.port)
  assert.is(await (await fetch(`http://localhost:${port}/`)).text(), 'moved')
  assert.ok(await refuses(first.url))
  await first.dispose()
  await next.dispose()
})

test('an address that its own socket has taken is refused with that one, and with what to do', async () => {
  const keep = new Keep()
  const { port, ...first } = await listening({ keep })
  const next = small({ keep, options: { host: '0.0.0.0', port } })
  const said = await refusal(next)
  await next.dispose()
  assert.match(
    said,
    `0.0.0.0:${port} cannot be opened while this gateway listens on 127.0.0.1:${port}: change server.port`,
  )
  assert.not.match(said, 'stop the program')
  await first.dispose()
})

test('going down, it takes no more connections, lets the last reply out and closes idle lines', async () => {
  const arrived = signal()
  const go = signal()
  const gateway = await listening({
    routes: [
      route('GET', '/slow', async call => {
        arrived.fire()
        await go.fired
        text(call, 'out')
      }),
      route('GET', '/quick', call => text(call, 'kept')),
    ],
  })
  const idle = await RawClient.connect(gateway.port)
  idle.send('GET /quick HTTP/1.1', 'host: x', '', '')
  await idle.until(/kept$/)
  const slow = await RawClient.connect(gateway.port)
  slow.send('GET /slow HTTP/1.1', 'host: x', '', '')
  await arrived.fired
  const gone = gateway.dispose()
  await idle.closed()
  assert.ok(await refuses(gateway.url))
  go.fire()
  assert.match(await slow.closed(), /out$/)
  await gone
})

test('a reply that does not end is cut in the end', async () => {
  const arrived = signal()
  const gateway = await listening({
    routes: [
      route('GET', '/never', async call => {
        arrived.fire()
        await new Promise(resolve => call.signal.addEventListener('abort', resolve))
      }),
    ],
  })
  const client = await RawClient.connect(gateway.port)
  client.send('GET /never HTTP/1.1', 'host: x', '', '')
  await arrived.fired
  await gateway.dispose()
  assert.is(await client.closed(), '')
})

test('while the generation is on its way out, a refusal closes the line', async () => {
  const gateway = await listening({ status: () => ({ ready: false }) })
  const client = await RawClient.connect(gateway.port)
  client.send('GET /nothing HTTP/1.1', 'host: x', '', '')
  assert.match(await client.closed(), /connection: close/i)
  await gateway.dispose()
})

test.run()
