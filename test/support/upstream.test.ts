import { request } from 'undici'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startUpstream } from './upstream.ts'

const chat = (url: string, body: object, signal?: AbortSignal) =>
  request(`${url}/chat/completions`, { method: 'POST', body: JSON.stringify(body), ...(signal && { signal }) })

test('no two calls get the same text', async () => {
  const upstream = await startUpstream()
  try {
    const first = await (await chat(upstream.url, { model: 'm' })).body.text()
    const second = await (await request(`${upstream.url}/messages`, { method: 'POST', body: '{}' })).body.text()
    assert.match(first, 'answer 1')
    assert.match(second, 'answer 2')
    assert.equal(upstream.calls[0]?.body, { model: 'm' })
  } finally {
    await upstream.close()
  }
})

test('an empty script lets a streamed call through to its terminator', async () => {
  const upstream = await startUpstream()
  try {
    const text = await (await chat(upstream.url, { stream: true, stream_options: { include_usage: true } })).body.text()
    assert.ok(text.endsWith('data: [DONE]\n\n'))
    assert.match(text, '"prompt_tokens":7')
  } finally {
    await upstream.close()
  }
})

test('sees when the caller leaves, and does not mistake its own crash for it', async () => {
  const upstream = await startUpstream()
  try {
    upstream.script({ silent: true }, { dieAfter: 1 })
    const abort = new AbortController()
    const call = chat(upstream.url, {}, abort.signal).catch(() => 'left')
    await upstream.arrived(1)
    abort.abort()
    assert.is(await upstream.calls[0]?.aborted, true)
    assert.is(await call, 'left')

    const cut = await chat(upstream.url, { stream: true })
    await cut.body.text().then(
      () => assert.unreachable(),
      () => {},
    )
    assert.is(await upstream.calls[1]?.aborted, false)
  } finally {
    await upstream.close()
  }
})

test('a whole answer that dies is cut in the middle', async () => {
  const upstream = await startUpstream()
  upstream.script({ dieAfter: 1 })
  const reply = await chat(upstream.url, { model: 'm' })
  assert.ok(Number(reply.headers['content-length']) > 0)
  const end = await reply.body.text().then(
    () => 'whole',
    () => 'cut',
  )
  assert.is(end, 'cut')
  await upstream.close()
})

test('a stream that dies after some frames has these and no more', async () => {
  const upstream = await startUpstream()
  upstream.script({ text: 'a text of several frames', dieAfter: 2 })
  const { body } = await chat(upstream.url, { stream: true })
  let text = ''
  try {
    for await (const bytes of body) text += bytes
    assert.unreachable('the line is cut')
  } catch {
    assert.is(text.split('\n\n').length - 1, 2, text)
  }
  await upstream.close()
})

test('a dialect of its own is spoken at its own path, and waits are the given ones', async () => {
  const waits: number[] = []
  const upstream = await startUpstream({
    dialects: {
      '/squawk': { whole: ({ text }) => ({ squawk: text }), stream: () => [], error: status => ({ sulk: status }) },
    },
    pause: async ms => void waits.push(ms),
  })
  upstream.script({ text: 'hello', delayMs: 60_000 }, { status: 500 })
  const ask = async () => (await request(`${upstream.url}/squawk`, { method: 'POST', body: '{}' })).body.json()
  assert.equal(await ask(), { squawk: 'hello' })
  assert.equal(await ask(), { sulk: 500 })
  assert.equal(waits, [60_000])
  await upstream.close()
})

test.run()
