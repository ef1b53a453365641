import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** A free-form tool of a chat-completions client at a vendor of another format (R12). */

const upstream = await startUpstream()
const gateway = await startGateway({ upstream, provider: 'anthropic' })
test.before.each(() => upstream.clear())
test.after(async () => {
  await gateway.close()
  await upstream.close()
})

const patch = '*** Begin Patch\n"quoted" \\ 😀\n*** End Patch'
const tools = [
  {
    type: 'custom',
    custom: {
      name: 'apply_patch',
      description: 'Edits files.',
      format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } },
    },
  },
  { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } },
]
const toolCalls = [
  { id: 'toolu_1', name: 'apply_patch', arguments: JSON.stringify({ input: patch }) },
  { id: 'toolu_2', name: 'look', arguments: '{"input":"stays"}' },
]
const called = [
  { id: 'toolu_1', type: 'custom', custom: { name: 'apply_patch', input: patch } },
  { id: 'toolu_2', type: 'function', function: { name: 'look', arguments: '{"input":"stays"}' } },
]
let n = 0
const body = (more: object = {}) => ({
  model: 'claude-sonnet-4-5',
  messages: [{ role: 'user', content: `patch ${n++}` }],
  tools,
  ...more,
})

test('the vendor is shown a function, and the client gets its own call back, also from the cache', async () => {
  upstream.script({ toolCalls })
  const asked = body()
  for (const layer of ['l3', 'l1a']) {
    const { json, headers } = await gateway.post('/v1/chat/completions', asked)
    assert.is(headers.get('x-service-layer'), layer)
    assert.equal(json.choices[0].message.tool_calls, called)
    assert.is(json.choices[0].finish_reason, 'tool_calls')
  }
  const sent = upstream.calls[0]?.body as { tools: { name: string; description: string; input_schema: object }[] }
  assert.is(sent.tools[0]?.name, 'apply_patch')
  assert.match(
    sent.tools[0]?.description ?? '',
    /^Edits files\.\n\nThe input must follow this lark grammar:\nstart: "x"$/,
  )
  assert.equal(sent.tools[0]?.input_schema, {
    type: 'object',
    properties: { input: { type: 'string' } },
    required: ['input'],
    additionalProperties: false,
  })
})

test('streamed it begins before its text, and has all of it', async () => {
  upstream.script({ toolCalls })
  const asked = JSON.stringify(body({ stream: true }))
  for (const layer of ['l3', 'l1a']) {
    const { text, headers } = await gateway.send('/v1/chat/completions', asked)
    assert.is(headers.get('x-service-layer'), layer)
    const deltas = [...text.matchAll(/^data: (\{.*\})$/gm)].flatMap(
      ([, json]) => JSON.parse(json ?? '').choices[0]?.delta.tool_calls ?? [],
    )
    const first = deltas.filter(({ index }) => index === 0)
    assert.equal(first[0], { index: 0, id: 'toolu_1', type: 'custom', custom: { name: 'apply_patch', input: '' } })
    assert.ok(first.length > 1, 'the call begins before its text')
    for (const { custom } of first.slice(1)) assert.type(custom.input, 'string')
    assert.is(first.map(({ custom }) => custom.input).join(''), patch)
    const second = deltas.filter(({ index }) => index === 1)
    assert.is(second.map(each => each.function.arguments).join(''), '{"input":"stays"}')
  }
})

test('a call in the history and its result reach the vendor as a call of the function', async () => {
  await gateway.post(
    '/v1/chat/completions',
    body({
      messages: [
        { role: 'user', content: `again ${n++}` },
        { role: 'assistant', content: null, tool_calls: [called[0]] },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'done' },
      ],
    }),
  )
  const sent = upstream.calls[0]?.body as { messages: { content: unknown }[] }
  assert.equal(sent.messages[1]?.content, [
    { type: 'tool_use', id: 'toolu_1', name: 'apply_patch', input: { input: patch } },
  ])
  assert.equal(sent.messages[2]?.content, [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'done' }])
})

test.run()
