import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const upstream = await startUpstream()
const gateway = await startGateway({ upstream })
test.after(async () => {
  await gateway.close()
  await upstream.close()
})

const TEXTS: Readonly<Record<string, string>> = {
  'of a megabyte without a space': 'QUJDRA'.repeat(200_000),
  'in Chinese, with emoji': `x${'高速缓存👩‍👧'.repeat(60_000)}`,
  'full of what JSON escapes': 'say "hi"\\\n\u0001'.repeat(60_000),
}

/** The `data` of each event that is JSON. */
// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it looks at, and fails where they are not
const eventsOf = (text: string): any[] =>
  [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? ''))

for (const [name, said] of Object.entries(TEXTS)) {
  test(`an answer ${name} is replayed as it was, in every dialect`, async () => {
    upstream.clear()
    upstream.script(() => ({ text: said }))
    const messages = [{ role: 'user', content: name }]
    const ask = async (path: string, body: object): Promise<string> => {
      await gateway.post(path, body)
      const { headers, text } = await gateway.stream(path, body)
      assert.is(headers.get('x-service-layer'), 'l1a', path)
      return text
    }
    const native = eventsOf(await ask('/api/chat', { prompt: name }))
    assert.ok(native.at(-1).message === said)
    assert.ok(native.map(({ delta }) => delta ?? '').join('') === said)
    const chat = eventsOf(await ask('/v1/chat/completions', { messages }))
    assert.ok(chat.map(({ choices }) => choices[0]?.delta.content ?? '').join('') === said)
    const other = eventsOf(await ask('/v1/messages', { max_tokens: 9, messages }))
    assert.ok(other.map(({ delta }) => delta?.text ?? '').join('') === said)
  })
}

test('a stream that begins with more than can be joined reaches its client, in every dialect', async () => {
  const said = 'x'.repeat(1_049_000)
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const sse = [chunk({ role: 'assistant', content: said }, null), chunk({}, 'stop'), 'data: [DONE]\n\n']
  const messages = [{ role: 'user', content: 'at once' }]
  const turns = { contents: [{ role: 'user', parts: [{ text: 'at once' }] }] }
  for (const [path, body] of [
    ['/api/chat', { prompt: 'at once' }],
    ['/v1/chat/completions', { messages }],
    ['/v1/messages', { max_tokens: 9, messages }],
    ['/v1/responses', { model: 'm', input: 'at once', store: false }],
    ['/v1beta/models/m:streamGenerateContent?alt=sse', turns],
  ] as const) {
    upstream.clear()
    upstream.script({ sse: [sse.join('')] })
    const { text } = await gateway.stream(path, body)
    assert.not.match(text, 'too large to be joined')
    const words = text.split(/[^x]+/).reduce((sum, run) => sum + (run.length > 1000 ? run.length : 0), 0)
    assert.ok(words >= said.length - 1, `${path}: ${words} characters`)
  }
})

test.run()
