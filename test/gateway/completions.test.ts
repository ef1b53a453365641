import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { withOpenai } from '../support/openai-client.ts'

const started = withOpenai(test, { coder: 'codestral' })

const chunk = (text: string, more: object = {}, finish: string | null = null, index = 0): string =>
  `data: ${JSON.stringify({ id: 'cmpl-1', object: 'text_completion', created: 1, model: 'm', choices: [{ index, text, finish_reason: finish, logprobs: null }], ...more })}\n\n`
const DONE = 'data: [DONE]\n\n'

test("a whole completion passes with the client's bytes and the vendor's, each time anew", async () => {
  const { gateway, upstream } = started()
  const raw = '{ "id":"cmpl-1", "choices":[{"text":"é", "index":0}], "odd":1.0 }'
  upstream.script({ raw }, { raw })
  const body = '{"prompt" : "def f(", "suffix":")", "model":"m"}'
  for (const call of [0, 1]) {
    const reply = await gateway.send('/v1/completions', body)
    assert.equal([reply.status, reply.text, reply.headers.get('x-service-layer')], [200, raw, 'l3'])
    assert.equal([upstream.calls[call]?.path, upstream.calls[call]?.raw.toString()], ['/v1/completions', body])
  }
})

test('a stream passes frame by frame, and the official SDK reads it', async () => {
  const { client, gateway, upstream } = started()
  const sse = [chunk('zwölf '), chunk('日本'), chunk('', {}, 'stop'), DONE]
  upstream.script({ sse }, { sse })
  const reply = await gateway.send('/v1/completions', '{"model":"coder","prompt":"x","stream":true}')
  assert.is(reply.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.is(reply.text, sse.join(''))
  assert.is(upstream.calls[0]?.body?.model, 'codestral')
  let text = ''
  for await (const part of await client.completions.create({ model: 'm', prompt: 'x', stream: true }))
    text += part.choices[0]?.text ?? ''
  assert.is(text, 'zwölf 日本')
})

test('a stream that breaks off ends with an error event, and one without its terminator gets it', async () => {
  const { gateway, upstream } = started()
  const body = '{"model":"m","prompt":"x","stream":true}'
  upstream.script({ sse: [chunk('half')] })
  const broken = await gateway.send('/v1/completions', body)
  assert.match(broken.text, 'half')
  assert.match(broken.text, '"error"')
  assert.not.match(broken.text, 'DONE')
  upstream.script({ sse: [chunk('all', {}, 'stop')] })
  assert.ok((await gateway.send('/v1/completions', body)).text.endsWith(DONE))
})

test('a stream of several choices ends when each has come to its end', async () => {
  const { gateway, upstream } = started()
  const body = '{"model":"m","prompt":["x","y"],"stream":true}'
  const first = [chunk('one', {}, null, 0), chunk('two', {}, null, 1), chunk('', {}, 'stop', 0)]
  for (const last of [[], [DONE]]) {
    upstream.script({ sse: [...first, ...last] })
    const broken = await gateway.send('/v1/completions', body)
    assert.match(broken.text, '"error"')
    assert.not.match(broken.text, 'DONE')
    upstream.script({ sse: [...first, chunk('', {}, 'length', 1), ...last] })
    const whole = await gateway.send('/v1/completions', body)
    assert.not.match(whole.text, '"error"')
    assert.ok(whole.text.endsWith(DONE))
  }
})

test('a failure before the first text has its status, and retries mend what may pass', async () => {
  const { gateway, upstream } = started()
  const body = '{"model":"m","prompt":"x","stream":true}'
  upstream.script({ status: 500 }, { sse: [chunk('well', {}, 'stop'), DONE] })
  assert.match((await gateway.send('/v1/completions', body)).text, 'well')
  upstream.script({ status: 400 })
  assert.is((await gateway.send('/v1/completions', body)).status, 400)
})

test("what cannot be read is refused in the client's dialect; a vendor without completions is not asked", async () => {
  const { gateway, upstream } = started()
  const bad = await gateway.post('/v1/completions', { model: 'm', prompt: 7 })
  assert.equal([bad.status, bad.json.error.param], [400, 'prompt'])
  assert.is(upstream.calls.length, 0)
  const other = await startGateway({ upstream, provider: 'anthropic' })
  const refused = await other.post('/v1/completions', { model: 'm', prompt: 'x' })
  assert.equal([refused.status, refused.json.error.code], [501, 'unsupported_operation'])
  await other.close()
})

test.run()
