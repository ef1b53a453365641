import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../../support/gateway.ts'
import { listening, route } from '../listening.ts'

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))

test('a person at the root is told where things are, on one line', async () => {
  const gateway = await startGateway({ settings: { SERVICE__GATEWAY_API_KEY: 'a-gateway-key' } })
  const reply = await fetch(`${gateway.url}/`)
  assert.is(reply.status, 200)
  assert.is(reply.headers.get('content-type'), 'text/plain; charset=utf-8')
  const text = await reply.text()
  assert.ok(text.startsWith(`deflector ${version}, `))
  assert.match(text, /; dashboard: \/dashboard\/; health: \/health; API: \/v1; docs: [^\n]+\n$/)
  const head = await fetch(`${gateway.url}/`, { method: 'HEAD' })
  assert.is(head.status, 200)
  assert.is(await head.text(), '')
  assert.ok((await gateway.gateway.reload()).ok)
  assert.is(await (await fetch(`${gateway.url}/`)).text(), text)
  await gateway.close()
})

test('a surface with a page of its own at the root is left in peace', async () => {
  const gateway = await listening({ routes: [route('GET', '/', call => call.send(200, {}, 'my page'))] })
  assert.is(await (await fetch(`${gateway.url}/`)).text(), 'my page')
  await gateway.dispose()
})

test.run()
