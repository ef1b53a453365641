import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ManualClock } from '../../../contracts/clock.ts'
import { startGateway } from '../../../support/gateway.ts'
import { until } from '../../../support/until.ts'
import { startUpstream } from '../../../support/upstream.ts'
import { signal } from '../../../surfaces/raw.ts'

const upstream = await startUpstream()
const gateway = await startGateway({ upstream })
let question = 0

const WORDS = 'one two three four five six seven eight'

function ask(text: string, stream: boolean, signal: AbortSignal, url = gateway.url): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
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

for (const holding of [false, true]) {
  const what = holding ? 'is held back' : 'goes on with another provider'
  test(`a client that leaves while its stream ${what} ends that call, and nothing of it is kept`, async () => {
    const backup = await startUpstream()
    const fallback = [{ provider: 'groq', url: backup.url, api_key: 'k', model: 'backup-model' }]
    const other = await startGateway(
      holding
        ? { upstream: backup, settings: { SERVICE__STREAM_HOLD: 'true' } }
        : { upstream, settings: { SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallback) } },
    )
    if (!holding) upstream.script({ text: WORDS, dieAfter: 4 })
    backup.script({ text: WORDS, stallAfter: 6 })
    const leaving = new AbortController()
    const asking = ask(`q${question}`, true, leaving.signal, other.url)
    await backup.arrived(1)
    if (!holding) {
      const reader = (await asking).body?.getReader()
      // The words behind the break are the other provider's: it is in the middle of its answer.
      for (let read = ''; !read.includes('four'); ) read += new TextDecoder().decode((await reader?.read())?.value)
    }
    leaving.abort()
    await asking.catch(() => {})
    assert.is(await backup.calls[0]?.aborted, true)
    const again = await ask(`q${question}`, true, new AbortController().signal, other.url)
    assert.is(again.headers.get('x-service-layer'), 'l3')
    await again.text()
    await other.close()
    await backup.close()
  })
}

test('a client that leaves while a vendor’s Retry-After passes causes no further call', async () => {
  const waits = new ManualClock()
  const other = await startGateway({ upstream, clock: waits })
  const idle = waits.sleeping
  upstream.script({ status: 429, headers: { 'retry-after': '2' } })
  const leaving = new AbortController()
  const asking = ask(`q${question}`, false, leaving.signal, other.url).catch(() => {})
  await upstream.arrived(1)
  // Its deadline, and the wait.
  await until('it waits', () => waits.sleeping === idle + 2)
  leaving.abort()
  await asking
  // The books have a line to write by then.
  await until('the wait is over', () => waits.sleeping < idle + 2)
  await waits.advance(5000)
  assert.is(upstream.calls.length, 1)
  await other.close()
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
