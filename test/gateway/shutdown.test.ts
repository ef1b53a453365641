import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const upstream = await startUpstream()
test.after(() => upstream.close())
test.before.each(() => upstream.clear())

const body = { model: 'm', messages: [{ role: 'user', content: 'going down?' }] }

test('who still waits at the end of the grace is told so in its dialect', async () => {
  const gateway = await startGateway({ upstream })
  upstream.script(
    { text: 'one two three four', stallAfter: 2 },
    { text: 'one two three four', stallAfter: 3 },
    { silent: true },
  )
  const chat = gateway.stream('/v1/chat/completions', body)
  await upstream.arrived(1)
  const messages = gateway.stream('/v1/messages', { ...body, max_tokens: 9 })
  await upstream.arrived(2)
  const plain = gateway.post('/v1/chat/completions', { ...body, seed: 1 })
  await upstream.arrived(3)
  const closing = gateway.gateway.close(1200)
  const [streamed, framed, refused] = await Promise.all([chat, messages, plain])
  assert.match(streamed.text, '"code":"draining"')
  assert.not.match(streamed.text, '[DONE]')
  assert.match(framed.text, 'event: error')
  assert.not.match(framed.text, 'message_stop')
  assert.is(refused.status, 503)
  assert.match(refused.text, 'shutting down')
  await closing
  await gateway.close()
})

test('what ends within the grace ends as it should, and new calls are refused', async () => {
  const gateway = await startGateway({ upstream })
  upstream.script({ text: 'one two three', frameDelayMs: 60 })
  const chat = gateway.stream('/v1/chat/completions', body)
  await upstream.arrived(1)
  const closing = gateway.gateway.close(8000)
  const late = await gateway.post('/v1/chat/completions', body)
  assert.is(late.status, 503)
  assert.match((await chat).text, '[DONE]')
  await closing
  await gateway.close()
})

test('a call of a generation that was replaced ends within the grace too', async () => {
  const gateway = await startGateway({ upstream })
  let release = (): void => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  upstream.script({ text: 'late but whole', after: held })
  const chat = gateway.post('/v1/chat/completions', body)
  await upstream.arrived(1)
  assert.ok((await gateway.gateway.reload()).ok)
  const closing = gateway.gateway.close(8000)
  setImmediate(release)
  const { status, json } = await chat
  assert.equal([status, json.choices[0].message.content], [200, 'late but whole'])
  await closing
  await gateway.close()
})

test.run()
