import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openLoad } from './load.ts'

test('an open loop asks at its rate, whether answers come or not', async () => {
  let [under, most] = [0, 0]
  const server = createServer((req, res) => {
    most = Math.max(most, ++under)
    req.resume()
    setTimeout(() => {
      under--
      res.end('{}')
    }, 100)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo // it listens on a port
    const { requests, latency } = await openLoad({ port, path: '/', rate: 100, ms: 500, body: n => String(n) })
    assert.is(requests, 50)
    assert.ok(most >= 5, `${most} at once`)
    assert.ok(latency.p50 >= 95, `p50 ${latency.p50}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test.run()
