import { createServer } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { demoSettings } from '../../../surfaces/cli/demo/index.ts'
import { replay } from '../../../surfaces/cli/demo/replay.ts'
import { summary, table } from '../../../surfaces/cli/demo/table.ts'
import { type DemoRequest, WORKLOAD } from '../../../surfaces/cli/demo/workload.ts'
import { tempFolder } from '../../support/opened.ts'
import { inShell } from './command.ts'

const REQUESTS = WORKLOAD.reduce((sum, { atOnce = 1 }) => sum + atOnce, 0)
const DEFLECTED = WORKLOAD.filter(({ expect }) => expect !== 'l3').length

test(
  'demo --exit deflects what it should, whatever is configured here',
  inShell(async shell => {
    shell.write('service.toml', 'this is no TOML')
    const { code, stdout, stderr } = await shell.run(['demo', '--exit', '--port', '0'], {
      SERVICE__OFFLINE_MODE: 'true',
    })
    assert.is(code, 0, stdout + stderr)
    assert.match(stdout, 'ignores service.toml and SERVICE__* variables')
    // Of several at once one may come late on a busy machine, and find their answer in the cache.
    const late = stdout.match(/^five alike .* l1a /gm)?.length ?? 0
    assert.ok(late < 5)
    assert.match(
      stdout,
      `deflected ${DEFLECTED + late} of ${REQUESTS} requests, made ${WORKLOAD.length - DEFLECTED} cloud calls`,
    )
    assert.match(stdout, /median latency: l1a [\d.]+ ms, l1b [\d.]+ ms, l3 [\d.]+ ms/)
    assert.is(stderr, '')
  }),
)

test('the demo waits longer for the semantic cache than a gateway does', () => {
  const { values } = demoSettings(tempFolder('demo'), '0')
  assert.ok(values.semantic_wait_ms >= 10_000)
})

test(
  'demo goes on serving until it is stopped, and shows how to ask it',
  inShell(async shell => {
    const started = shell.start(['demo', '--port', '0'])
    const [, url = ''] = await started.says(/curl -i (http:\/\/\S+)\/api\/chat/)
    await started.says(/Ctrl-C ends the demo/)
    const again = { prompt: 'What is 6 * 7?' }
    const ask = async (): Promise<string | null> => {
      const reply = await fetch(`${url}/api/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(again),
      })
      await reply.arrayBuffer()
      return reply.headers.get('x-service-layer')
    }
    assert.is(await ask(), 'l3')
    assert.is(await ask(), 'l1a')
    started.child.kill('SIGINT')
    assert.is((await started.ended).code, 0)
  }),
)

test(
  'a port in use is said, with the way out',
  inShell(async shell => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const { code, stderr } = await shell.run(['demo', '--exit', '--port', String(port)])
    server.close()
    assert.is(code, 1)
    assert.is(stderr, `deflector: port ${port} is in use: name another one with --port, or 0 for any\n`)
  }),
)

test('a request that is not answered as expected is marked', async () => {
  const { createServer: http } = await import('node:http')
  const server = http((request, response) => {
    request.resume()
    const layer = request.url === '/api/chat' ? 'l3' : 'l1a'
    response.writeHead(200, { 'x-service-layer': layer, 'x-service-deflected': String(layer !== 'l3') }).end('{}')
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const asks: DemoRequest[] = [
    { label: 'good', surface: 'messages', body: {}, expect: 'l1a' },
    { label: 'no hit', surface: 'native', body: {}, expect: 'l1a' },
    { label: 'no cloud call', surface: 'native', body: {}, expect: 'l3' },
  ]
  const outcomes = await replay(asks, url, () => 0)
  server.closeAllConnections()
  server.close()
  assert.equal(
    outcomes.map(({ wrong }) => wrong),
    [undefined, 'expected l1a', 'made 0 cloud calls, not 1'],
  )
  assert.match(table(outcomes), /^no hit .*<- expected l1a$/m)
  assert.match(summary(outcomes, 0), 'deflected 1 of 3 requests, made 0 cloud calls')
})

test.run()
