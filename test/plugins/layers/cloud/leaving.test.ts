import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../../../support/gateway.ts'
import { startUpstream } from '../../../support/upstream.ts'
import { signal } from '../../../surfaces/raw.ts'

const upstream = await startUpstream()
const gateway = await startGateway({ upstream })
let question = 0

function ask(text: string, stream: boolean, signal: AbortSignal): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'stub-model', messages: [{ role: 'user', content: text }], stream }),
    signal,
  })
}

/** Resolves when so many more exchanges have reached the layer. */
function reached(count: number): Promise<void> {
  return new Promise(resolve => {
    const seen = (message: unknown): void => {
      const { hook, tap } = message as { hook: string; tap: string }
      if (hook !== 'answer' || tap !== 'cloud' || --count > 0) return
      unsubscribe('tracing:deflector:tap:start', seen)
      resolve()
    }
    subscribe('tracing:deflector:tap:start', seen)
  })
}

test.before.each(() => {
  upstream.clear()
  question++
})

for (const stream of [false, true]) {
  test(`a client that leaves before the answer ends the vendor’s call (stream: ${stream})`, async () => {
    upstream.script({ silent: true })
    const leaving = new AbortController()
    const asking = ask(`q${question}`, stream, leaving.signal).catch(() => {})
    await upstream.arrived(1)
    leaving.abort()
    assert.is(await upstream.calls[0]?.aborted, true)
    await asking
  })
}

test('a client that leaves in the middle of a stream ends the vendor’s call', async () => {
  upstream.script({ text: 'one two three four', stallAfter: 2 })
  const leaving = new AbortController()
  const response = await ask(`q${question}`, true, leaving.signal)
  await response.body?.getReader().read()
  leaving.abort()
  assert.is(await upstream.calls[0]?.aborted, true)
})

test('one of two that leaves takes nothing from the other', async () => {
  const left = signal()
  upstream.script({ text: 'for the one who stayed', after: left.fired })
  const leaving = new AbortController()
  const both = reached(2)
  const first = ask(`q${question}`, false, leaving.signal).catch(() => {})
  await upstream.arrived(1)
  const second = ask(`q${question}`, false, new AbortController().signal)
  await both
  leaving.abort()
  await first
  left.fire()
  const response = await second
  assert.match(await response.text(), 'for the one who stayed')
  assert.is(response.headers.get('x-service-layer'), 'l3')
  assert.is(upstream.calls.length, 1)
})

test('fifty at once cost one call, and one more for those who want a stream, and the next one is a hit', async () => {
  const all = reached(50)
  upstream.script(() => ({ text: 'shared by all', after: all }))
  const stay = new AbortController().signal
  const responses = await Promise.all(Array.from({ length: 50 }, (_, n) => ask(`q${question}`, n % 2 === 0, stay)))
  const texts = await Promise.all(responses.map(response => response.text()))
  assert.is(upstream.calls.length, 2)
  for (const [n, text] of texts.entries()) {
    if (n % 2 === 1) assert.match(text, 'shared by all')
    else assert.ok(text.trimEnd().endsWith('data: [DONE]'))
  }
  const after = await ask(`q${question}`, false, stay)
  assert.is(after.headers.get('x-service-layer'), 'l1a')
  assert.is(upstream.calls.length, 2)
  await after.text()
})

test.after(async () => {
  await gateway.close()
  await upstream.close()
})

test.run()
