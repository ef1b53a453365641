import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Cancellation, GatewayError } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readEvent } from '../../../../plugins/observers/usage/event.ts'
import usage from '../../../../plugins/observers/usage/index.ts'
import { TestExchange, testHost } from '../../../contracts/host.ts'
import { tempFolder } from '../../../support/opened.ts'

test('a call that goes on for others when its first client has left is a line of its own, and no request', async () => {
  const folder = tempFolder('usage')
  const host = testHost('observer')
  host.apply(usage, { path: folder, chain: ['openai'] })
  await host.start()
  host.ready()
  const exchange = new TestExchange({ model: 'gpt-4o' })
  exchange.failed(new GatewayError('client_left', 'the client left'))
  host.call.finish(exchange)
  const attempt = {
    provider: 'openai',
    model: 'gpt-4o',
    operation: 'chat',
    keyLabel: undefined,
    stream: true,
    estimate: { input: 8, output: undefined, answers: 1 },
    cancellation: new Cancellation(),
    omitted: [],
    useKey: () => {},
  }
  const told = { usage: { input: 10, output: 5 }, firstTokenMs: 1, ms: 2 }
  host.call.attempted(exchange, attempt, { outcome: 'answered', error: undefined, status: 200, ...told })
  await host.dispose()
  const lines = readFileSync(join(folder, 'usage.jsonl'), 'utf8').trim().split('\n').map(readEvent)
  assert.equal(
    lines.map(line => [line?.status, line?.late, line?.total_tokens, line?.request_id === exchange.id]),
    [
      [499, undefined, 0, true],
      [499, true, 15, true],
    ],
  )
})

test.run()
