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

test.run()
