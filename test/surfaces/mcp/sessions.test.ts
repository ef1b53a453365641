import { isGatewayError } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Sessions } from '../../../surfaces/mcp/sessions.ts'
import { ManualClock } from '../../contracts/clock.ts'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { ACCEPT, connect, httpTransport, INITIALIZE, missing } from './client.ts'

const IDLE_SECS = 1800
const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' }

const context: { gateway?: TestGateway } = {}
const clock = new ManualClock()

test.before(async () => {
  context.gateway = await startGateway({ clock })
})
test.after(() => context.gateway?.close())

const url = (): string => context.gateway?.url ?? missing('gateway')

type Headers = Readonly<Record<string, string>>
const send = (method: string, headers: Headers = {}, body?: object, path = '/mcp'): Promise<Response> =>
  fetch(url() + path, {
    method,
    headers: { ...ACCEPT, 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it looks at, and fails where they are not
const json = async (reply: Response): Promise<any> => JSON.parse(await reply.text())

async function begin(version = '2025-11-25'): Promise<{ readonly headers: Headers; readonly told: string }> {
  const { params } = INITIALIZE
  const reply = await send('POST', {}, { ...INITIALIZE, params: { ...params, protocolVersion: version } })
  assert.is(reply.status, 200)
  const told: string = (await json(reply)).result.protocolVersion
  return {
    headers: { 'mcp-session-id': reply.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': told },
    told,
  }
}
const begun = async (): Promise<Headers> => (await begin()).headers

test('the version is negotiated', async () => {
  assert.is((await begin('2025-11-25')).told, '2025-11-25')
  assert.is((await begin('2025-06-18')).told, '2025-06-18')
  assert.is((await begin('2099-01-01')).told, '2025-11-25')
})

test('both paths are one, without a redirect', async () => {
  for (const path of ['/mcp', '/mcp/']) {
    const reply = await send('POST', {}, INITIALIZE, path)
    assert.is(reply.status, 200)
    assert.is(reply.redirected, false)
    assert.match(reply.headers.get('mcp-session-id') ?? '', /^[\da-f-]{36}$/)
  }
})

test('an unknown session is a 404, none a 400', async () => {
  for (const method of ['POST', 'GET', 'DELETE']) {
    const body = method === 'POST' ? LIST : undefined
    const unknown = await send(method, { 'mcp-session-id': 'nobody-has-this' }, body)
    assert.is(unknown.status, 404, method)
    assert.is((await json(unknown)).error.code, -32001)
    const none = await send(method, {}, body)
    assert.is(none.status, 400, method)
    assert.is((await json(none)).jsonrpc, '2.0')
  }
})

test('a notification has a 202 and no body', async () => {
  const reply = await send('POST', await begun(), { jsonrpc: '2.0', method: 'notifications/initialized' })
  assert.is(reply.status, 202)
  assert.is(await reply.text(), '')
})

test('DELETE ends the session', async () => {
  const headers = await begun()
  assert.is((await send('POST', headers, LIST)).status, 200)
  assert.is((await send('DELETE', headers)).status, 200)
  assert.is((await send('POST', headers, LIST)).status, 404)
  assert.is((await send('DELETE', headers)).status, 404)
})

test('an idle session expires, one that is used does not', async () => {
  const [idle, used] = [await begun(), await begun()]
  for (let i = 0; i < 3; i++) {
    await clock.advance((IDLE_SECS / 2 - 1) * 1000)
    assert.is((await send('POST', used, LIST)).status, 200)
  }
  assert.is((await send('POST', idle, LIST)).status, 404)
  await clock.advance(IDLE_SECS * 1000 + 1)
  assert.is((await send('POST', used, LIST)).status, 404)
})

test('a session whose client listens does not expire, and ends its stream when it is deleted', async () => {
  const headers = await begun()
  const stream = await send('GET', headers)
  assert.is(stream.status, 200)
  assert.match(stream.headers.get('content-type') ?? '', /^text\/event-stream/)
  assert.is(stream.headers.get('mcp-session-id'), headers['mcp-session-id'])
  assert.is((await send('GET', headers)).status, 409, 'there is one stream for each session')
  await clock.advance(IDLE_SECS * 3000)
  assert.is((await send('POST', headers, LIST)).status, 200)
  await send('DELETE', headers)
  assert.is(await stream.text(), '')
})

test('a client that stopped listening may listen again, and expires like others', async () => {
  const headers = await begun()
  for (let i = 0; i < 3; i++) await listenAndLeave(headers)
  let status = 200
  for (let round = 0; round < 100 && status === 200; round++) {
    await clock.advance(IDLE_SECS * 1000 + 1)
    status = (await send('POST', headers, LIST)).status
  }
  assert.is(status, 404)
})

/** The gateway hears that a client left when the socket closes: until then there is no second stream. */
async function listenAndLeave(headers: Headers): Promise<void> {
  for (let round = 0; round < 100; round++) {
    const leaving = new AbortController()
    const { status } = await fetch(`${url()}/mcp`, { headers: { ...ACCEPT, ...headers }, signal: leaving.signal })
    leaving.abort()
    if (status === 200) return
  }
  missing('second stream: the one of a client that left stays open')
}

test('what is no message is refused, and none of it makes a session', async () => {
  const refused = async (status: number, code: number, headers: Headers, body: string): Promise<void> => {
    const reply = await fetch(`${url()}/mcp`, { method: 'POST', headers: { ...ACCEPT, ...headers }, body })
    assert.is(reply.status, status)
    assert.is((await json(reply)).error.code, code)
    assert.is(reply.headers.get('mcp-session-id'), null)
  }
  const type = { 'content-type': 'application/json' }
  await refused(400, -32700, type, 'not json')
  await refused(400, -32000, type, '[]')
  await refused(400, -32000, type, '{}')
  await refused(413, -32000, type, JSON.stringify({ ...LIST, params: { prompt: 'x'.repeat(1 << 20) } }))
  await refused(415, -32000, { 'content-type': 'text/plain' }, JSON.stringify(INITIALIZE))
  await refused(406, -32000, { ...type, accept: 'text/html' }, JSON.stringify(INITIALIZE))
})

test('other methods are told in the dialect of the path', async () => {
  const reply = await send('PUT')
  assert.is(reply.status, 405)
  assert.is((await json(reply)).jsonrpc, '2.0')
})

test('sessions and streams survive a reload, and do not hold up the end', async () => {
  const gateway = await startGateway({})
  const mcp = await connect(httpTransport(gateway.url))
  await mcp.store('before', 'the reload')
  assert.is((await gateway.gateway.reload()).ok, true)
  assert.is(await mcp.chat('before'), 'the reload')
  const stream = await fetch(`${gateway.url}/mcp`, {
    headers: { ...ACCEPT, 'mcp-session-id': await sessionAt(gateway.url) },
  })
  const [, text] = await Promise.all([gateway.close(), stream.text()])
  assert.is(text, '', 'it was ended; one that is cut throws')
  await mcp.close()
})

async function sessionAt(url: string): Promise<string> {
  const headers = { ...ACCEPT, 'content-type': 'application/json' }
  const reply = await fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(INITIALIZE) })
  return reply.headers.get('mcp-session-id') ?? missing('session')
}

const flooded = () => {
  const clock = new ManualClock()
  const sessions = new Sessions('g', clock, () => missing('backend'))
  sessions.limits = { idleMs: 60_000, most: 5, mostOfOne: 3 }
  const begin = async (peer: string) => {
    const session = await sessions.create(peer)
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { ...ACCEPT, 'content-type': 'application/json' },
      body: JSON.stringify(INITIALIZE),
    })
    assert.is((await session.transport.handleRequest(request)).status, 200)
    return session
  }
  const isRefused = async (peer: string): Promise<boolean> => {
    try {
      await begin(peer)
      return false
    } catch (error) {
      assert.ok(isGatewayError(error) && error.code === 'rate_limited' && error.retryAfterSecs !== undefined)
      return true
    }
  }
  return { clock, sessions, begin, isRefused }
}

test('whoever floods a gateway with sessions is refused, and the sessions of others stay', async () => {
  const { clock, sessions, begin, isRefused } = flooded()
  const [others, used] = [await begin('a'), await begin('flood')]
  sessions.find(used.transport.sessionId ?? '')
  for (let count = 0; count < 2; count++) await begin('flood')
  assert.ok(await isRefused('flood'), 'it has its share')
  assert.is(await isRefused('b'), false, 'another has not')
  assert.ok(await isRefused('c'), 'and there is a bound for all')
  sessions.find(others.transport.sessionId ?? '')
  await clock.advance(10_000)
  for (let count = 0; count < 20; count++) await isRefused('flood')
  assert.equal([others.over.aborted, used.over.aborted], [false, false])
  assert.is(sessions.size, 5)
  await sessions.close()
})

test('a session that was begun and never used makes room, rather one of the same peer; one that listens does not', async () => {
  const { clock, sessions, begin, isRefused } = flooded()
  const [listens, unused, later] = [await begin('a'), await begin('a'), await begin('a')]
  const stream = sessions.stream(listens)
  assert.ok(await isRefused('a'), 'their clients may be about to go on')
  await clock.advance(10_000)
  assert.is(await isRefused('a'), false)
  assert.equal(
    [listens, unused, later].map(({ over }) => over.aborted),
    [false, true, false],
  )
  stream.done()
  await sessions.close()
  assert.is(sessions.size, 0)
})

test('sessions that are begun at the same time count', async () => {
  const { sessions } = flooded()
  const begun = await Promise.allSettled(Array.from({ length: 20 }, () => sessions.create('a')))
  assert.is(begun.filter(({ status }) => status === 'fulfilled').length, 3)
  for (const session of begun) if (session.status === 'fulfilled') await session.value.server.close()
  assert.ok(await sessions.create('a'), 'those that were never accepted are gone')
})

test('nested brackets without end and batches without end are refused before anybody works on them', async () => {
  for (const [body, code] of [
    ['['.repeat(100_000) + ']'.repeat(100_000), -32700],
    [JSON.stringify({ ...LIST, params: 1 }).replace('1}', `${'['.repeat(2_000)}${']'.repeat(2_000)}}`), -32700],
    [JSON.stringify(Array(101).fill(LIST)), -32000],
  ] as const) {
    const reply = await fetch(`${url()}/mcp`, {
      method: 'POST',
      headers: { ...ACCEPT, 'content-type': 'application/json', ...(await begun()) },
      body,
    })
    assert.is(reply.status, 400)
    assert.is((await json(reply)).error.code, code)
  }
})

test.run()
