import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** The form of tools before `tools`: clients that ask with `functions` read the answer in `function_call` alone. */

const path = '/v1/chat/completions'
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const functions = [{ name: 'weather', description: 'Tells it', parameters }]
const messages = [
  { role: 'user', content: 'Oslo?' },
  { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{"city":"Oslo"}' } },
  { role: 'function', name: 'weather', content: '2 C' },
  { role: 'user', content: 'And Rome?' },
]
const body = { model: 'claude-opus-4-5', functions, messages }
const toolCalls = [
  { id: 'c1', name: 'weather', arguments: '{"city":"Rome"}' },
  { id: 'c2', name: 'weather', arguments: '{"city":"Bari"}' },
]

test('a vendor of the same format gets the body byte for byte, and its answer passes', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, settings: { SERVICE__ENABLE_CONTEXT_OPTIMIZER: 'false' } })
  const text = JSON.stringify({ ...body, function_call: { name: 'weather' } }, null, 1)
  const message = { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{"city": 1.0}' } }
  const raw = JSON.stringify({ id: 'x', choices: [{ index: 0, message, finish_reason: 'function_call' }] }, null, 1)
  upstream.script({ raw })
  const answer = await gateway.send(path, text)
  assert.is(upstream.calls[0]?.raw.toString(), text)
  assert.is(answer.text, raw)
  const again = await gateway.stream(path, JSON.parse(text))
  assert.is(again.headers.get('x-service-layer'), 'l1a')
  assert.match(again.text, '"function_call":{"name":"weather","arguments":"{\\"city\\": 1.0}"}')
})

test('another vendor gets tools, calls and results, and is asked for one call at a time', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider: 'anthropic' })
  await gateway.post(path, { ...body, function_call: { name: 'weather' } })
  const sent = upstream.calls[0]?.body
  assert.equal(sent?.tools, [{ name: 'weather', description: 'Tells it', input_schema: parameters }])
  assert.equal(sent?.tool_choice, { type: 'tool', name: 'weather', disable_parallel_tool_use: true })
  assert.equal(sent?.messages, [
    { role: 'user', content: 'Oslo?' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call_0', name: 'weather', input: { city: 'Oslo' } }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_0', content: '2 C' },
        { type: 'text', text: 'And Rome?' },
      ],
    },
  ])
})

for (const provider of ['anthropic', 'gemini', 'openai-responses'])
  test(`an answer of ${provider} comes back in the old form, its first call alone`, async () => {
    const upstream = await startUpstream()
    const gateway = await startGateway({ upstream, provider })
    upstream.script({ toolCalls }, { toolCalls }, { text: 'Warm.' })
    const whole = await gateway.post(path, body)
    const [choice] = whole.json.choices
    const call = { name: 'weather', arguments: '{"city":"Rome"}' }
    assert.equal([choice.message.function_call, choice.finish_reason], [call, 'function_call'])
    assert.is(choice.message.content, null)
    assert.is(choice.message.tool_calls, undefined)

    const streamed = await gateway.stream(path, { ...body, user: 'fresh', temperature: 0 })
    const chunks = [...streamed.text.matchAll(/^data: (\{.*\})$/gm)].map(
      ([, json]) => JSON.parse(json ?? '').choices[0],
    )
    const pieces = chunks.flatMap(({ delta }) => delta.function_call ?? [])
    assert.equal(pieces[0], { name: 'weather', arguments: '' })
    assert.is(pieces.map(piece => piece.arguments).join(''), '{"city":"Rome"}')
    assert.is(chunks.at(-1)?.finish_reason, 'function_call')
    assert.not.match(streamed.text, 'tool_calls')

    const words = await gateway.post(path, { ...body, temperature: 1 })
    assert.equal([words.json.choices[0].message.content, words.json.choices[0].finish_reason], ['Warm.', 'stop'])
  })

test('a cached answer is given again in the old form, whole and streamed', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider: 'anthropic' })
  upstream.script({ toolCalls: toolCalls.slice(0, 1) })
  const one = await gateway.post(path, body)
  const two = await gateway.post(path, body)
  assert.is(two.headers.get('x-service-layer'), 'l1a')
  assert.equal(two.json.choices, one.json.choices)
  const streamed = await gateway.stream(path, body)
  assert.is(streamed.headers.get('x-service-layer'), 'l1a')
  assert.match(streamed.text, '"function_call":{"name":"weather"')
  assert.match(streamed.text, '"finish_reason":"function_call"')
  assert.is(upstream.calls.length, 1)
})

test.run()
