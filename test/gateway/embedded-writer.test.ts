import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { TINY_WRITER } from '../support/tiny-writer.ts'
import { startUpstream } from '../support/upstream.ts'

const upstream = await startUpstream()
const gateway = await startGateway({ upstream, file: settings() })
test.before.each(() => upstream.clear())
test.after(async () => {
  await gateway.close()
  await upstream.close()
})

/** Classification and answer both by the tiny model, in a process beside the gateway. */
function settings(more = ''): string {
  return `enable_slm_router = true\n\n[slm_router]\nprovider = "embedded"\nmodel_path = '${TINY_WRITER}'\n${more}`
}

const chat = (content: string, more: object = {}) => ({ model: 'm', messages: [{ role: 'user', content }], ...more })
const IGNORED = '```gitignore\nnode_modules/\ndist/\n*.log\n```'

test('a simple prompt is answered by a model in a process of its own', async () => {
  const { status, headers, json } = await gateway.post('/v1/chat/completions', chat('Write a .gitignore for Node.'))
  assert.is(status, 200)
  assert.is(headers.get('x-service-layer'), 'l2')
  assert.is(headers.get('x-service-deflected'), 'true')
  assert.is(json.choices[0].message.content, IGNORED)
  assert.is(json.choices[0].finish_reason, 'stop')
  assert.ok(json.usage.completion_tokens > 0)
  assert.is(upstream.calls.length, 0)
})

test('it is streamed when that was asked for', async () => {
  const body = chat('Write a Python function that reverses a string.', { stream: true })
  const { headers, content } = await gateway.stream('/v1/chat/completions', body)
  assert.is(headers.get('x-service-layer'), 'l2')
  assert.match(headers.get('content-type') ?? '', /^text\/event-stream/)
  assert.is(content, '```python\ndef reverse(text: str) -> str:\n    return text[::-1]\n```')
  assert.is(upstream.calls.length, 0)
})

test('it is said in the format of each surface', async () => {
  const prompt = 'Write an .editorconfig with two spaces.'
  const native = await gateway.post('/api/chat', { prompt })
  assert.is(native.json.layer, 2)
  const messages = await gateway.post('/v1/messages', { ...chat(prompt), max_tokens: 200 })
  assert.is(messages.headers.get('x-service-layer'), 'l2')
  assert.is(messages.json.content[0].text, native.json.message)
  assert.match(native.json.message, /indent_size = 2/)
})

test('a complex prompt goes to the vendor', async () => {
  const { headers } = await gateway.post('/v1/chat/completions', chat('Fix the race condition in our queue worker.'))
  assert.is(headers.get('x-service-layer'), 'l3')
  assert.is(upstream.calls.length, 1)
})

test('what the guard refuses goes to the vendor: half a fence, doubt, no answer, and what a limit cut off', async () => {
  for (const prompt of [
    'Write half a config.',
    'Write a function that says how old a heron is.',
    'Write a function with no body.',
  ]) {
    const { headers } = await gateway.post('/v1/chat/completions', chat(prompt))
    assert.is(headers.get('x-service-layer'), 'l3', prompt)
  }
  const cut = chat('Write a tsconfig for a library.', { max_tokens: 4 })
  assert.is((await gateway.post('/v1/chat/completions', cut)).headers.get('x-service-layer'), 'l3')
  assert.is(upstream.calls.length, 4)
})

test('it is active in /health', async () => {
  const { json } = await gateway.get('/health')
  assert.is(json.layers.l2, 'active')
})

test('with two classes, too', async () => {
  const other = await startGateway({ upstream, file: settings('classifier_mode = "binary"\n') })
  try {
    const simple = await other.post('/v1/chat/completions', chat('Write a Dockerfile for a Node app.'))
    assert.is(simple.headers.get('x-service-layer'), 'l2')
    assert.match(simple.json.choices[0].message.content, /FROM node:20/)
    const complex = await other.post('/v1/chat/completions', chat('Write integration tests for the login flow.'))
    assert.is(complex.headers.get('x-service-layer'), 'l3')
  } finally {
    await other.close()
  }
})

test.run()
