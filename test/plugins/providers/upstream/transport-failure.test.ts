import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { Cancellation, type ProviderError, promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { Agent } from 'undici'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import chatCompletionsPlugin from '../../../../plugins/providers/chat-completions.ts'
import { transportFailure } from '../../../../plugins/providers/upstream/transport-failure.ts'
import { testHost } from '../../../contracts/host.ts'
import { waiting } from '../../../contracts/waiting.ts'
import { startGateway } from '../../../support/gateway.ts'
import { startUpstream, type Upstream } from '../../../support/upstream.ts'
import { failure } from '../vendor-faults.ts'

const failed = (error: unknown, peer?: string) =>
  transportFailure(error, new Cancellation(), peer === undefined ? {} : { peer })

/** How a call with this key fails. */
async function refused(upstream: Upstream, key: string): Promise<ProviderError> {
  const host = testHost('provider', { name: 'acme' })
  const provider = host.apply(chatCompletionsPlugin, { url: upstream.url, api_key: key })
  const body = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }
  const prompt = promptOf(chatCompletions, Buffer.from(JSON.stringify(body)), body)
  const facts = { model: undefined, stream: false, key, requestId: 'r1', headers: {} }
  const error = await failure(provider.complete({ prompt, ...facts, ...waiting() }))
  await host.dispose()
  return error
}

/** A port of this machine on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

test('a refused connection says its code and its address', async () => {
  const port = await closedPort()
  const [error] = await once(connect(port, '127.0.0.1'), 'error')
  const { reason, detail, message } = failed(error)
  assert.is(reason, 'network')
  assert.is(detail, `ECONNREFUSED 127.0.0.1:${port}`)
  assert.is(message, 'the connection failed (ECONNREFUSED)')
})

test('a name with several addresses names each that failed', () => {
  const refused = (address: string) => Object.assign(new Error('x'), { code: 'ECONNREFUSED', address, port: 9 })
  const error = Object.assign(new AggregateError([refused('::1'), refused('127.0.0.1')]), { code: 'ECONNREFUSED' })
  assert.is(failed(error, 'localhost:9').detail, 'ECONNREFUSED [::1]:9, 127.0.0.1:9')
})

test('an error without an address has that of who was called', () => {
  const error = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND', hostname: 'no.example' })
  assert.is(failed(error, 'no.example:8443').detail, 'ENOTFOUND no.example:8443')
  const late = failed(Object.assign(new Error('late'), { code: 'UND_ERR_CONNECT_TIMEOUT' }), 'no.example')
  assert.is(late.reason, 'timeout')
  assert.is(late.detail, 'UND_ERR_CONNECT_TIMEOUT no.example')
})

test('a line that the vendor closes says whose it was', async () => {
  const server = createServer((socket: Socket) => socket.once('data', () => socket.destroy())).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const agent = new Agent()
  const error = await agent.request({ origin: `http://127.0.0.1:${port}`, path: '/', method: 'POST' }).catch(e => e)
  await agent.destroy()
  server.close()
  assert.is(failed(error).detail, `UND_ERR_SOCKET 127.0.0.1:${port}`)
})

test('a key that no header can hold is our credential at fault, and is not shown', async () => {
  const upstream = await startUpstream()
  const key = 'half of a key\nx-injected: 1'
  const error = await refused(upstream, key)
  assert.is(error.reason, 'credential')
  assert.not.match(JSON.stringify([error.message, error.detail]), 'half')
  assert.is(upstream.calls.length, 0)
  await upstream.close()
})

test('a vendor that repeats the key in its content type is not quoted', async () => {
  const upstream = await startUpstream()
  const key = 'my-very-own-key'
  upstream.script({ garbage: 'x', headers: { 'content-type': `text/${key}` } })
  const error = await refused(upstream, key)
  assert.match(error.message, 'answered with text/')
  assert.not.match(error.message, key)
  await upstream.close()
})

test('a redirect is not followed, so no other host gets the key', async () => {
  const [upstream, elsewhere] = [await startUpstream(), await startUpstream()]
  upstream.script({ status: 307, json: {}, headers: { location: `${elsewhere.url}/chat/completions` } })
  const error = await refused(upstream, 'key-1234')
  assert.equal([error.reason, upstream.calls.length, elsewhere.calls.length], ['protocol', 1, 0])
  await upstream.close()
  await elsewhere.close()
})

test('words where a code should be are not passed on', () => {
  const { detail, message } = failed(Object.assign(new Error('x'), { code: 'my key is sk-1234' }))
  assert.is(detail, undefined)
  assert.is(message, 'the connection failed')
})

test('the log is told where a vendor could not be reached, the client only why, without key or prompt', async () => {
  const port = await closedPort()
  const warned: string[] = []
  const gateway = await startGateway({
    settings: {
      SERVICE__EXTERNAL_LLM_URL: `http://127.0.0.1:${port}/v1`,
      SERVICE__EXTERNAL_LLM_API_KEY: 'sk-very-secret',
    },
    log: {
      debug() {},
      info() {},
      error() {},
      warn: (message, fields) => warned.push(`${message} ${JSON.stringify(fields)}`),
    },
  })
  try {
    const body = { model: 'm', messages: [{ role: 'user', content: 'a private question' }] }
    const { status, text } = await gateway.post('/v1/chat/completions', body)
    assert.is(status, 502)
    const where = `ECONNREFUSED 127.0.0.1:${port}`
    assert.match(text, 'openai: network, ECONNREFUSED')
    assert.not.match(text, '127.0.0.1')
    assert.ok(warned.every(line => line.startsWith('an attempt failed') && line.includes(`"detail":"${where}"`)))
    assert.is(warned.length, 3)
    assert.not.match(`${text}${warned}`, /very-secret|private question/)
  } finally {
    await gateway.close()
  }
})

test.run()
