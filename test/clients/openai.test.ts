import OpenAI, { APIConnectionError, APIError, APIUserAbortError, RateLimitError } from 'openai'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const upstream = await startUpstream()
const gateway = await startGateway({ upstream })
const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'any', maxRetries: 0 })
const model = 'gpt-test'

test.before.each(() => upstream.clear())
test.after(async () => {
  await gateway.close()
  await upstream.close()
})

const ask = (content: string) => ({ model, messages: [{ role: 'user' as const, content }] })
const weather = {
  type: 'function' as const,
  function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
}

test('a question asked twice is answered once by the vendor', async () => {
  const first = await client.chat.completions.create(ask('plain?')).withResponse()
  const second = await client.chat.completions.create(ask('plain?')).withResponse()
  assert.is(first.response.headers.get('x-service-layer'), 'l3')
  assert.is(first.response.headers.get('x-service-provider'), 'openai')
  assert.is(second.response.headers.get('x-service-layer'), 'l1a')
  assert.is(second.response.headers.get('x-service-deflected'), 'true')
  assert.is(second.data.choices[0]?.message.content, first.data.choices[0]?.message.content)
  assert.is.not(second.data.id, first.data.id)
  assert.is(upstream.calls.length, 1)
})

test('a streamed answer arrives piece by piece, and its replay is the same text', async () => {
  upstream.script({ text: 'Zwölf Boxkämpfer 日本 👩‍👩‍👧', splitEvery: 1 })
  const texts: string[] = []
  for (let round = 0; round < 2; round++) {
    const stream = await client.chat.completions.create({ ...ask('stream?'), stream: true })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    texts.push(text)
  }
  assert.equal(texts, ['Zwölf Boxkämpfer 日本 👩‍👩‍👧', 'Zwölf Boxkämpfer 日本 👩‍👩‍👧'])
  assert.is(upstream.calls.length, 1)
})

test('usage comes in the stream only when it was asked for', async () => {
  const usages = async (include: boolean): Promise<number> => {
    const stream = await client.chat.completions.create({
      ...ask('usage?'),
      stream: true,
      ...(include && { stream_options: { include_usage: true } }),
    })
    let count = 0
    for await (const chunk of stream) if (chunk.usage) count++
    return count
  }
  assert.is(await usages(false), 0)
  assert.is(await usages(true), 1, 'on a hit')
  assert.is(upstream.calls.length, 1)
})

test('parallel tool calls keep their ids, order and arguments, streamed or not', async () => {
  const toolCalls = [
    { id: 'call_a', name: 'get_weather', arguments: '{"city":"Oslo"}' },
    { id: 'call_b', name: 'get_weather', arguments: '{"city":"Rome"}' },
    { id: 'call_c', name: 'get_weather', arguments: '{}' },
  ]
  upstream.script({ toolCalls })
  const wanted = toolCalls.map(call => ({ ...call }))
  for (const where of ['miss', 'hit']) {
    const final = await client.chat.completions.stream({ ...ask('tools?'), tools: [weather] }).finalChatCompletion()
    const calls = final.choices[0]?.message.tool_calls ?? []
    const got = calls.map(call =>
      call.type === 'function' ? { id: call.id, name: call.function.name, arguments: call.function.arguments } : call,
    )
    assert.equal(got, wanted, where)
    assert.is(final.choices[0]?.finish_reason, 'tool_calls')
  }
  const whole = await client.chat.completions.create({ ...ask('tools?'), tools: [weather] })
  assert.is(whole.choices[0]?.message.tool_calls?.length, 3)
  assert.is(upstream.calls.length, 1)
})

test('leaving in mid-stream closes the line to the vendor', async () => {
  upstream.script({ text: 'one two three four five', stallAfter: 2 })
  const stream = await client.chat.completions.create({ ...ask('abort?'), stream: true })
  for await (const _ of stream) break
  stream.controller.abort()
  assert.is(await upstream.calls[0]?.aborted, true)
})

test('leaving before the answer closes the line to the vendor', async () => {
  upstream.script({ silent: true })
  const leaving = new AbortController()
  const asking = client.chat.completions.create(ask('abort early?'), { signal: leaving.signal })
  await upstream.arrived(1)
  leaving.abort()
  assert.ok(
    await asking.then(
      () => false,
      error => error instanceof APIUserAbortError,
    ),
  )
  assert.is(await upstream.calls[0]?.aborted, true)
})

test("a vendor's refusal is the client's own error, and is not tried again", async () => {
  upstream.script({
    status: 400,
    json: {
      error: { message: 'max_tokens is too large', type: 'invalid_request_error', code: 'bad', param: 'max_tokens' },
    },
  })
  const error = await client.chat.completions.create(ask('bad?')).catch(problem => problem)
  assert.ok(error instanceof APIError)
  assert.is(error.status, 400)
  assert.match(error.message, 'max_tokens is too large')
  assert.is(upstream.calls.length, 1)
})

test("the SDK's own retries come through after a passing failure", async () => {
  const patient = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'any', maxRetries: 2 })
  upstream.script({ status: 429, headers: { 'retry-after': '1' } }, { text: 'at last' })
  const answer = await patient.chat.completions.create(ask('retry?'))
  assert.is(answer.choices[0]?.message.content, 'at last')
})

test('a rate limit that nothing can absorb reaches the client as one', async () => {
  const other = await startGateway({ upstream }) // the key rests afterwards
  const limited = new OpenAI({ baseURL: `${other.url}/v1`, apiKey: 'any', maxRetries: 0 })
  upstream.script(() => ({ status: 429, headers: { 'retry-after': '400' } }))
  const error = await limited.chat.completions.create(ask('limit?')).catch(problem => problem)
  assert.ok(error instanceof RateLimitError)
  assert.ok(Number(error.headers.get('retry-after')) > 0)
  await other.close()
})

test('a stream that dies is an error, never a short answer', async () => {
  upstream.script(() => ({ text: 'one two three four five six', dieAfter: 3 }))
  const stream = await client.chat.completions.create({ ...ask('die?'), stream: true })
  const outcome = await (async () => {
    for await (const _ of stream);
  })().then(
    () => undefined,
    error => error,
  )
  assert.ok(outcome instanceof APIError || outcome instanceof APIConnectionError)
  upstream.clear()
  await client.chat.completions.create(ask('die?'))
  assert.is(upstream.calls.length, 1, 'nothing of it was stored')
})

test('the model list holds the configured model', async () => {
  const { data } = await client.models.list()
  assert.ok(data.some(({ id }) => id === 'stub-model'))
})

test.run()
