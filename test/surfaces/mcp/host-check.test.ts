import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { hostCheck } from '../../../surfaces/mcp/host-check.ts'
import { startGateway } from '../../support/gateway.ts'
import { ACCEPT, INITIALIZE } from './client.ts'

const near = hostCheck({ bound: '127.0.0.1', allowed: ['cache.example.com'] })
const passes = (headers: Readonly<Record<string, string>>, check = near): boolean => check(headers) === undefined

test('loopback names, the bound address and allowed names are served, with any port', () => {
  for (const host of [
    'localhost',
    'LocalHost:8080',
    'localhost.:8080',
    'api.localhost',
    '127.0.0.1:1',
    '127.3.2.1',
    '[::1]:8080',
    'cache.example.com:443',
    'CACHE.example.com',
  ])
    assert.ok(passes({ host }), host)
  assert.ok(passes({ host: '10.1.2.3:8080' }, hostCheck({ bound: '10.1.2.3', allowed: [] })))
  assert.ok(passes({ host: '[fd00::1]:8080' }, hostCheck({ bound: 'fd00:0::1', allowed: [] })))
})

test('any other name is refused, however it is written', () => {
  for (const host of [
    '',
    'evil.example',
    'localhost.evil.example',
    'localhost@evil.example',
    'evil.example#localhost',
    'evil.example/localhost',
    'evil.example\\localhost',
    'notlocalhost',
    '127.0.0.1.evil.example',
    'xcache.example.com',
    '0.0.0.0',
    '10.1.2.3',
    'localhost:x',
    'localhost:80:80',
  ])
    assert.not.ok(passes({ host }), host)
  assert.not.ok(passes({}))
})

test('a gateway on every address is reached under those of the machine', () => {
  const everywhere = hostCheck({ bound: '0.0.0.0', allowed: [] })
  const own = Object.values(networkInterfaces()).flatMap(at => at ?? [])
  for (const { address, family } of own) {
    if (!address.startsWith('fe80'))
      assert.ok(passes({ host: family === 'IPv6' ? `[${address}]` : address }, everywhere))
  }
  assert.not.ok(passes({ host: 'evil.example' }, everywhere))
  assert.not.ok(passes({ host: '203.0.113.9' }, everywhere))
})

/** `fetch` does not let a test say who it is. */
const status = (url: string, method: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const asking = request(`${url}/mcp/`, {
      method,
      headers: { ...ACCEPT, 'content-type': 'application/json', ...headers },
    })
    asking.on('response', response => {
      response.resume()
      resolve(response.statusCode)
    })
    asking.on('error', reject)
    asking.end(method === 'POST' ? JSON.stringify(INITIALIZE) : undefined)
  })

test('every method is behind the host check, and the settings open it', async () => {
  const gateway = await startGateway({ settings: { SERVICE__MCP_ALLOWED_HOSTS: '["cache.example.com"]' } })
  try {
    for (const method of ['POST', 'GET', 'DELETE']) {
      assert.is(await status(gateway.url, method, { host: 'evil.example' }), 403)
      assert.is(await status(gateway.url, method, { origin: 'https://evil.example' }), 403)
    }
    assert.is(await status(gateway.url, 'POST', { host: '203.0.113.9' }), 403)
    assert.is(await status(gateway.url, 'POST', { host: 'cache.example.com' }), 200)
    assert.is(await status(gateway.url, 'POST', { origin: 'https://cache.example.com' }), 200)
    assert.is(await status(gateway.url, 'POST', {}), 200)
  } finally {
    await gateway.close()
  }
})

test.run()
