import { readFileSync } from 'node:fs'
import { health as state } from 'deflector/facets/health'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import health from '../../surfaces/health.ts'
import { startGateway } from '../support/gateway.ts'
import { listening } from './listening.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

test('says version, layers, uptime and generation, without a key', async () => {
  const gateway = await startGateway({ settings: { SERVICE__GATEWAY_API_KEY: 'a-gateway-key' } })
  const { status, json } = await gateway.get('/health')
  assert.is(status, 200)
  assert.is(json.version, version)
  assert.equal(
    Object.keys(json.layers)
      .filter(label => /^l\d/.test(label))
      .sort(),
    ['l0', 'l0_5', 'l1a', 'l1b', 'l2', 'l2_5', 'l3'],
  )
  assert.is(json.layers.l0_5, 'disabled')
  assert.type(json.uptime_seconds, 'number')
  assert.is(json.demo_mode, false)
  assert.is(json.generation, 1)
  assert.equal((await gateway.get('/healthz')).json, { status: 'ok' })
  assert.is((await gateway.get('/readyz')).status, 200)
  await gateway.close()
})

test('uptime goes on over a reload, and the generation counts up', async () => {
  const gateway = await startGateway({})
  const { ok } = await gateway.gateway.reload()
  assert.is(ok, true)
  assert.is((await gateway.get('/health')).json.generation, 2)
  await gateway.close()
})

test('a layer in trouble shows in the status', async () => {
  const gateway = await listening({
    surfaces: [{ plugin: health, options: { demo_mode: true } }],
    status: () => ({ layers: new Map([['cloud', 'l3']]) }),
    offers: facets => facets.offer(state, { role: 'layer', name: 'cloud' }, () => 'no_credential'),
  })
  const body = (await (await fetch(`${gateway.url}/health`)).json()) as Record<string, unknown>
  assert.is(body.status, 'degraded')
  assert.is(body.demo_mode, true)
  assert.is((body.layers as Record<string, string>).l3, 'no_credential')
  await gateway.dispose()
})

test('is not ready before the generation serves and while it drains', async () => {
  let ready = false
  const gateway = await listening({ surfaces: [{ plugin: health }], status: () => ({ ready }) })
  assert.is((await fetch(`${gateway.url}/readyz`)).status, 503)
  assert.is((await fetch(`${gateway.url}/healthz`)).status, 200)
  ready = true
  assert.is((await fetch(`${gateway.url}/readyz`)).status, 200)
  assert.is((await fetch(`${gateway.url}/readyz`, { method: 'HEAD' })).status, 200)
  await gateway.dispose()
})

test.run()
