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

const OUTSIDE = ['3d_render', '-x', 'a/b', '工具']
const CONTENT_NAMES = /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/
const call = { id: 'c1', type: 'function', function: { name: 'a/b', arguments: '{}' } }
const use = { type: 'tool_use', id: 'c1', name: 'a/b', input: {} }
const clients = {
  '/v1/chat/completions': {
    tools: OUTSIDE.map(name => ({ type: 'function', function: { name, parameters: { type: 'object' } } })),
    messages: [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'ok' },
    ],
    tool_choice: { type: 'function', function: { name: 'a/b' } },
  },
  '/v1/messages': {
    max_tokens: 9,
    tools: OUTSIDE.map(name => ({ name, input_schema: { type: 'object' } })),
    messages: [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [use] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'ok' }] },
    ],
    tool_choice: { type: 'tool', name: 'a/b' },
  },
}

for (const [path, body] of Object.entries(clients)) {
  test(`${path}: a generate-content vendor gets names that it takes, and the client its own, whole and streamed`, async () => {
    const upstream = await startUpstream()
    const gateway = await startGateway({ upstream, provider: 'gemini' })
    for (const stream of [false, true]) {
      upstream.script({ toolCalls: [{ id: 'c1', name: 'a_b_c14cddc0', arguments: '{"x":1}' }] })
      const { text, status } = await gateway.send(path, JSON.stringify({ model: 'm', stream, ...body }))
      assert.is(status, 200, text)
      assert.match(text, '"name":"a/b"')
      assert.not.match(text, 'a_b_c14cddc0')
      const sent = sentBy(upstream, upstream.calls.length - 1)
      for (const name of sent) assert.match(name, CONTENT_NAMES)
      assert.is(sent.filter(name => name === 'a_b_c14cddc0').length, 3, 'the tool, its call and its result')
      assert.is(new Set(sent).size, OUTSIDE.length)
      const { toolConfig } = upstream.calls.at(-1)?.body ?? {}
      assert.equal(toolConfig, { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['a_b_c14cddc0'] } })
    }
  })
}

test.run()
