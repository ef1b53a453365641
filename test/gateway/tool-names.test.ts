import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

/** A generate-content client may give its functions names that vendors of other formats refuse. */

const PLAIN = /^[a-zA-Z0-9_-]{1,64}$/
const GIVEN = 'a.b:c'
const tools = [
  { functionDeclarations: [GIVEN, 'a_b_c', 'plain'].map(name => ({ name, parameters: { type: 'OBJECT' } })) },
]
const contents = [
  { role: 'user', parts: [{ text: 'go' }] },
  { role: 'model', parts: [{ functionCall: { name: GIVEN, args: {} } }] },
  { role: 'user', parts: [{ functionResponse: { name: GIVEN, response: { output: 'ok' } } }] },
]
const toolConfig = { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [GIVEN] } }

/** Every name of a tool in a body, whatever its format. */
const namesIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  const own = 'name' in value && typeof value.name === 'string' ? [value.name] : []
  return [...own, ...Object.values(value).flatMap(namesIn)]
}
const sentBy = (upstream: Upstream, at: number): string[] => namesIn(upstream.calls[at]?.body)

for (const provider of ['openai', 'anthropic', 'openai-responses']) {
  test(`${provider} gets names that it takes, and the client its own, whole and streamed`, async () => {
    const upstream = await startUpstream()
    const gateway = await startGateway({ upstream, provider })
    const path = '/v1beta/models/m'
    await gateway.post(`${path}:generateContent`, { contents, tools, toolConfig })
    const taken = sentBy(upstream, 0).find(name => name.startsWith('a_b_c_')) ?? ''
    const names = new Set(sentBy(upstream, 0))
    for (const name of names) assert.match(name, PLAIN)
    assert.not.ok(names.has(GIVEN))
    for (const method of ['generateContent', 'streamGenerateContent?alt=sse']) {
      upstream.script({ toolCalls: [{ id: 'c1', name: taken, arguments: '{"x":1}' }] })
      const asked = [...contents, { role: 'user', parts: [{ text: method }] }]
      const { text, status } = await gateway.send(`${path}:${method}`, JSON.stringify({ contents: asked, tools }))
      assert.is(status, 200, text)
      assert.match(text, `"name":"${GIVEN}"`)
      assert.not.match(text, taken)
      assert.equal(
        new Set(sentBy(upstream, upstream.calls.length - 1).filter(name => name.startsWith('a_b_c'))),
        new Set([taken, 'a_b_c']),
      )
    }
  })
}

test('a generate-content vendor gets the names as they are', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider: 'gemini' })
  await gateway.post('/v1beta/models/m:generateContent', { contents, tools, toolConfig })
  assert.ok(sentBy(upstream, 0).includes(GIVEN))
})

test.run()
