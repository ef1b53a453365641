import { type ChatFormat, GatewayError } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Listening, listening, route, text } from '../listening.ts'

const shouting: Pick<ChatFormat, 'encodeError'> = {
  encodeError: ({ code, message }, id) => ({ SHOUT: code, message, id }),
}

const echo = route('POST', '/v1/echo', async call => text(call, Buffer.from(await call.body()).toString('utf8')))
const show = route('GET', '/v1/things/:id', call => text(call, `${call.params.id} ${call.query.get('q') ?? ''}`))

const context: { gateway?: Listening } = {}
const at = (path: string): string => `${context.gateway?.url}${path}`

test.before(async () => {
  context.gateway = await listening({
    routes: [
      echo,
      show,
      route('POST', '/v1/who', call => text(call, 'everybody')),
      route('POST', '/v1/who', call => text(call, 'cursor'), { when: headers => headers['x-cursor'] !== undefined }),
      route('POST', '/v1/only', call => text(call, 'some'), { when: headers => headers['x-some'] !== undefined }),
      route('GET', '/files/*rest', call => text(call, call.params.rest ?? '')),
      route('POST', '/beta/models/:model\\:generate', call => text(call, call.params.model ?? '')),
      route('POST', '/refuse', () => {
        throw new GatewayError('rate_limited', 'slowly', { retryAfterSecs: 7 })
      }),
      route('POST', '/break', () => {
        throw new Error('the secret cause')
      }),
      route('POST', '/forget', () => {}),
      route('GET', '/empty', call => call.send(204, {})),
    ],
    dialects: { '/v1/': shouting },
  })
})
test.after(() => context.gateway?.dispose())

test('an exact path and one with parameters both reach their route', async () => {
  assert.is(await (await fetch(at('/v1/echo'), { method: 'POST', body: 'hello' })).text(), 'hello')
  assert.is(await (await fetch(at('/v1/things/a%2Fb?q=1'))).text(), 'a/b 1')
  assert.is(await (await fetch(at('/files/a/b.css'))).text(), 'a/b.css')
  assert.is(await (await fetch(at('/beta/models/g-1:generate'), { method: 'POST' })).text(), 'g-1')
})

test('doubled /v1, doubled slashes, a slash at the end and a query are understood', async () => {
  for (const path of ['/v1/v1/echo', '/v1/echo/', '//v1/echo', '/v1/echo?beta=true', '/v1//echo/?x']) {
    const reply = await fetch(at(path), { method: 'POST', body: path })
    assert.is(await reply.text(), path)
  }
  assert.is(await (await fetch(at('/v1/v1/things/7/?q=2'))).text(), '7 2')
  assert.is(await (await fetch(at('/files/a/b.css/'))).text(), 'a/b.css')
})

test('a route with a condition is asked before one without, wherever it stands', async () => {
  assert.is(await (await fetch(at('/v1/who'), { method: 'POST' })).text(), 'everybody')
  assert.is(await (await fetch(at('/v1/who'), { method: 'POST', headers: { 'x-cursor': '1' } })).text(), 'cursor')
})

test('a path whose only route does not fit is not found', async () => {
  assert.is((await fetch(at('/v1/only'), { method: 'POST' })).status, 404)
  assert.is((await fetch(at('/v1/only'), { method: 'POST', headers: { 'x-some': '' } })).status, 200)
})

test('an unknown path is a 404 in the dialect of its prefix, else in plain', async () => {
  const known = await fetch(at('/v1/nothing'))
  assert.is(known.status, 404)
  const body = (await known.json()) as Record<string, unknown>
  assert.is(body.SHOUT, 'unknown_endpoint')
  assert.is(body.id, known.headers.get('x-service-request-id'))
  const plain = await fetch(at('/nothing'))
  assert.is(plain.status, 404)
  assert.is(((await plain.json()) as Record<string, unknown>).error, 'unknown_endpoint')
})

test('an unknown path under a version names what exists there, and nothing elsewhere', async () => {
  const told = async (path: string): Promise<unknown> =>
    ((await (await fetch(at(path))).json()) as { message: string }).message
  assert.is(
    await told('/v1/nothing'),
    'nothing is at /v1/nothing; there are GET /v1/things/{id}, POST /v1/echo, POST /v1/only, POST /v1/who',
  )
  assert.is(await told('/nothing'), 'nothing is at /nothing')
})

test('a base URL that forgot /v1 gets a helpful 404 in the dialect it meant', async () => {
  const reply = await fetch(at('/echo'), { method: 'POST', body: '{}' })
  assert.is(reply.status, 404)
  assert.match(((await reply.json()) as { SHOUT: string; message: string }).message, /\/v1\/echo/)
})

test('a wrong method is a 405 that names the right ones', async () => {
  const reply = await fetch(at('/v1/echo'))
  assert.is(reply.status, 405)
  assert.is(reply.headers.get('allow'), 'POST')
  assert.is(((await reply.json()) as Record<string, unknown>).SHOUT, 'method_not_allowed')
})

test('HEAD is served where GET is, OPTIONS says what is allowed, and neither reaches a POST route', async () => {
  assert.is((await fetch(at('/'), { method: 'HEAD' })).status, 200)
  assert.is((await fetch(at('/api/hello'), { method: 'HEAD' })).status, 200)
  const head = await fetch(at('/v1/things/7'), { method: 'HEAD' })
  assert.is(head.status, 200)
  assert.is(head.headers.get('content-length'), '2')
  assert.is((await fetch(at('/v1/echo'), { method: 'HEAD' })).status, 405)
  const options = await fetch(at('/v1/echo'), { method: 'OPTIONS' })
  assert.is(options.status, 204)
  assert.is(options.headers.get('allow'), 'POST')
})

test('what a route throws is told in its dialect, with the hints for clients that retry', async () => {
  const reply = await fetch(at('/refuse'), { method: 'POST' })
  assert.is(reply.status, 429)
  assert.is(reply.headers.get('retry-after'), '7')
  assert.is(reply.headers.get('x-should-retry'), null)
  assert.is((await fetch(at('/v1/nothing'))).headers.get('x-should-retry'), 'false')
})

test('an error nobody foresaw is a 500 without its cause, which stands in the log', async () => {
  const reply = await fetch(at('/break'), { method: 'POST' })
  assert.is(reply.status, 500)
  assert.not.match(await reply.text(), /secret/)
  const line = context.gateway?.log.find(({ message }) => message === 'a route failed')
  assert.is(line?.fields?.request_id, reply.headers.get('x-service-request-id'))
  assert.is((await fetch(at('/forget'), { method: 'POST' })).status, 500)
})

test('every reply carries the id and the layer headers', async () => {
  const ids = new Set<string | null>()
  for (const [method, path] of [
    ['GET', '/nothing'],
    ['GET', '/v1/echo'],
    ['POST', '/break'],
    ['GET', '/empty'],
    ['HEAD', '/'],
  ] as const) {
    const { headers } = await fetch(at(path), { method })
    ids.add(headers.get('x-service-request-id'))
    assert.is(headers.get('x-service-layer'), 'l0')
    assert.is(headers.get('x-service-deflected'), 'false')
  }
  assert.is(ids.size, 5)
})

test('a request that a gateway sent is refused as a loop', async () => {
  const reply = await fetch(at('/v1/echo'), {
    method: 'POST',
    body: '{}',
    headers: { 'x-service-hop': 'another, this-gateway' },
  })
  assert.is(reply.status, 508)
  assert.is(((await reply.json()) as Record<string, unknown>).SHOUT, 'loop')
})

test.run()
