import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { tempFolder } from '../support/opened.ts'
import { startUpstream } from '../support/upstream.ts'

test('the head of a stream goes out before a slow vendor speaks, as a live answer of the cloud', async () => {
  const upstream = await startUpstream()
  const pipeline = join(tempFolder('early-head'), 'pipeline.yaml')
  writeFileSync(
    pipeline,
    `surfaces:
  http: { options: { host: 127.0.0.1, port: 0, head_wait_secs: 0.01 } }
  chat-completions: { flow: chat }
flows:
  chat: [cloud]
layers:
  cloud: { options: { chain: [main] } }
providers:
  main: { use: chat-completions, options: { url: '${upstream.url}', api_key: k } }
`,
  )
  const gateway = await startGateway({ pipeline })
  upstream.script({ silent: true })
  const leaving = new AbortController()
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    signal: leaving.signal,
    body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
  })
  assert.is(reply.status, 200)
  assert.is(reply.headers.get('x-service-layer'), 'l3')
  assert.is(reply.headers.get('x-service-deflected'), 'false')
  assert.match(reply.headers.get('content-type') ?? '', 'text/event-stream')
  leaving.abort()
  await gateway.close()
  await upstream.close()
})

test.run()
