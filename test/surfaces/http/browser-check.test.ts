import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway, type TestGateway } from '../../support/gateway.ts'

interface Got {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** `fetch` does not let a test say who it is. */
const ask = (url: string, path: string, headers: Readonly<Record<string, string>>, method = 'POST'): Promise<Got> =>
  new Promise((resolve, reject) => {
    const asking = request(url + path, { method, headers })
    asking.on('response', response => {
      text(response).then(body => resolve({ status: response.statusCode, headers: response.headers, body }), reject)
    })
    asking.on('error', reject)
    asking.end(method === 'POST' ? '{"prompt":"hi"}' : undefined)
  })

/** The status line of a request that a well-behaved client does not send. */
const rawStatus = (url: string, lines: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(url)
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`))
    text(socket).then(reply => resolve(reply.split('\r\n')[0] ?? ''), reject)
  })

const withGateway =
  (settings: Readonly<Record<string, string>>, run: (gateway: TestGateway) => Promise<void>) =>
  async (): Promise<void> => {
    const gateway = await startGateway({ settings: { SERVICE__OFFLINE_MODE: 'true', ...settings } })
    try {
      await run(gateway)
    } finally {
      await gateway.close()
    }
  }

const ROUTES = [
  ['/api/chat', 'POST'],
  ['/v1/chat/completions', 'POST'],
  ['/v1/messages', 'POST'],
  ['/v1/models', 'GET'],
  ['/v1/models/x', 'GET'],
  ['/api/v1/cache/lookup', 'POST'],
  ['/api/admin/cache', 'GET'],
  ['/mcp', 'POST'],
  ['/health', 'GET'],
  ['/', 'HEAD'],
  ['/nowhere', 'GET'],
] as const

test(
  'a page of another site is refused on every route, and so is a name that was pointed here',
  withGateway({}, async ({ url }) => {
    for (const [path, method] of ROUTES) {
      for (const headers of [
        ...['https://evil.example', 'null', 'file://', 'app://localhost', 'http://localhost@evil.example', ''].map(
          origin => ({ origin }),
        ),
        ...['evil.example', 'evil.example:8080', 'localhost.evil.example', '127.0.0.1.evil.example', 'a@b'].map(
          host => ({
            host,
          }),
        ),
      ])
        assert.is((await ask(url, path, headers, method)).status, 403, `${path} ${JSON.stringify(headers)}`)
    }
  }),
)

test(
  'the refusal names the setting, in the dialect of the path',
  withGateway({}, async ({ url }) => {
    const chat = await ask(url, '/v1/chat/completions', { host: 'evil.example' })
    assert.match(JSON.parse(chat.body).error.message, /allowed_hosts/)
    const messages = await ask(url, '/v1/messages', { origin: 'https://evil.example' })
    assert.is(JSON.parse(messages.body).type, 'error')
    assert.match(JSON.parse(messages.body).error.message, /cors_origins/)
    assert.is(messages.headers['access-control-allow-origin'], undefined)
  }),
)

test(
  'programs, pages of this machine and names of private networks are served',
  withGateway({}, async ({ url }) => {
    const { host } = new URL(url)
    for (const headers of [
      {},
      ...['localhost', 'LOCALHOST:1', '10.1.2.3:8080', '[::1]', 'nas', 'nas.local', 'gw.internal', 'gw.home.arpa'].map(
        host => ({ host }),
      ),
      ...[`http://${host}`, 'http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:8080'].map(origin => ({
        origin,
      })),
      { host: '10.1.2.3:8080', origin: 'http://10.1.2.3:8080' },
    ])
      assert.is((await ask(url, '/health', headers, 'GET')).status, 200, JSON.stringify(headers))
  }),
)

test(
  'allowed_hosts lets a name in, and a gateway key any name',
  withGateway({ SERVICE__ALLOWED_HOSTS: 'gw.example' }, async ({ url }) => {
    assert.is((await ask(url, '/health', { host: 'GW.example:443' }, 'GET')).status, 200)
    assert.is((await ask(url, '/health', { host: 'x.gw.example' }, 'GET')).status, 403)
  }),
)

for (const key of [{ SERVICE__GATEWAY_API_KEY: 'k' }, { SERVICE__GATEWAY_API_KEYS: '[{"key":"k","label":"ann"}]' }])
  test(
    `with ${Object.keys(key)[0]} any name is served, but no page of another site`,
    withGateway(key, async ({ url }) => {
      assert.is((await ask(url, '/health', { host: 'gw.example' }, 'GET')).status, 200)
      const own = { host: 'gw.example', origin: 'https://gw.example' }
      assert.is((await ask(url, '/health', own, 'GET')).status, 200)
      assert.is((await ask(url, '/health', { ...own, origin: 'https://evil.example' }, 'GET')).status, 403)
    }),
  )

test(
  'a page of cors_origins may ask and read the answer, also after it asked whether it may',
  withGateway({ SERVICE__CORS_ORIGINS: 'https://app.example' }, async ({ url }) => {
    const origin = 'https://app.example'
    const reply = await ask(url, '/api/chat', { origin })
    assert.is(reply.status, 503, 'offline, but let in')
    assert.is(reply.headers['access-control-allow-origin'], origin)
    assert.is(reply.headers.vary, 'origin')
    const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' }
    const asked = await ask(url, '/v1/messages', { origin, ...preflight }, 'OPTIONS')
    assert.is(asked.status, 204)
    assert.is(asked.headers['access-control-allow-origin'], origin)
    assert.is(asked.headers['access-control-allow-methods'], 'POST')
    assert.is(asked.headers['access-control-allow-headers'], 'x-api-key')
    const foreign = await ask(url, '/v1/messages', { origin: 'https://app.example.evil', ...preflight }, 'OPTIONS')
    assert.is(foreign.status, 403)
    assert.is(foreign.headers['access-control-allow-origin'], undefined)
  }),
)

test(
  'a star in cors_origins lets every page in',
  withGateway({ SERVICE__CORS_ORIGINS: '*' }, async ({ url }) => {
    for (const origin of ['https://a.example', 'null']) {
      const reply = await ask(url, '/health', { origin }, 'GET')
      assert.is(reply.status, 200)
      assert.is(reply.headers['access-control-allow-origin'], origin)
    }
  }),
)

test(
  'a request with two Host headers is broken',
  withGateway({ SERVICE__GATEWAY_API_KEY: 'k' }, async ({ url }) => {
    const lines = ['GET /health HTTP/1.1', 'host: localhost', 'connection: close']
    assert.match(await rawStatus(url, lines), / 200 /)
    for (const second of ['HOST: evil.example', 'host: localhost'])
      assert.match(await rawStatus(url, [...lines, second]), / 400 /)
  }),
)

test.run()
