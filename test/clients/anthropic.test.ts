import Anthropic, { APIError, APIUserAbortError } from '@anthropic-ai/sdk'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** One gateway before a vendor of the client's own format, one before a vendor of the other. */
for (const provider of ['anthropic', 'openai'] as const) {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider })
  const client = new Anthropic({ baseURL: gateway.url, apiKey: 'any', maxRetries: 0 })
  const title = (words: string): string => `${words} (vendor: ${provider})`
  const ask = (content: string) => ({
    model: 'claude-test',
    max_tokens: 100,
    messages: [{ role: 'user' as const, content }],
  })
  const weather = {
    name: 'get_weather',
    input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } },
  }

  test.after(async () => {
    await gateway.close()
    await upstream.close()
  })

  test(title('a question asked twice is answered once by the vendor'), async () => {
    upstream.clear()
    const first = await client.messages.create(ask('plain?')).withResponse()
    const second = await client.messages.create(ask('plain?')).withResponse()
    assert.is(first.response.headers.get('x-service-layer'), 'l3')
    assert.is(second.response.headers.get('x-service-layer'), 'l1a')
    assert.equal(second.data.content, first.data.content)
    assert.is(second.data.stop_reason, 'end_turn')
    assert.is(upstream.calls.length, 1)
  })

  test(title('a streamed answer and its replay are the same'), async () => {
    upstream.clear()
    upstream.script({ text: 'Zwölf 日本 👩‍👩‍👧 boxers', splitEvery: 1 })
    for (const where of ['miss', 'hit']) {
      const stream = client.messages.stream(ask('stream?'))
      assert.is(await stream.finalText(), 'Zwölf 日本 👩‍👩‍👧 boxers', where)
      const { usage, stop_reason } = await stream.finalMessage()
      assert.ok(usage.output_tokens > 0)
      assert.is(stop_reason, 'end_turn')
    }
    assert.is(upstream.calls.length, 1)
  })

  test(title('parallel tool calls arrive whole, streamed or not'), async () => {
    upstream.clear()
    const toolCalls = [
      { id: 'toolu_a', name: 'get_weather', arguments: '{"city":"Oslo"}' },
      { id: 'toolu_b', name: 'get_weather', arguments: '{"city":"Rome"}' },
      { id: 'toolu_c', name: 'get_weather', arguments: '{}' },
    ]
    upstream.script({ toolCalls })
    const wanted = [{ city: 'Oslo' }, { city: 'Rome' }, {}]
    for (const where of ['miss', 'hit']) {
      const message = await client.messages.stream({ ...ask('tools?'), tools: [weather] }).finalMessage()
      const uses = message.content.filter(block => block.type === 'tool_use')
      assert.equal(
        uses.map(use => use.input),
        wanted,
        where,
      )
      assert.equal(
        uses.map(use => use.id),
        toolCalls.map(call => call.id),
      )
      assert.is(message.stop_reason, 'tool_use')
    }
    const whole = await client.messages.create({ ...ask('tools?'), tools: [weather] })
    assert.is(whole.content.filter(block => block.type === 'tool_use').length, 3)
    assert.is(upstream.calls.length, 1)
  })

  test(title('leaving in mid-stream closes the line to the vendor'), async () => {
    upstream.clear()
    upstream.script({ text: 'one two three four five', stallAfter: 3 })
    const stream = client.messages.stream(ask('abort?'))
    stream.on('error', () => {})
    for await (const _ of stream) break
    stream.abort()
    assert.is(await upstream.calls[0]?.aborted, true)
  })

  test(title('leaving before the answer closes the line to the vendor'), async () => {
    upstream.clear()
    upstream.script({ silent: true })
    const leaving = new AbortController()
    const asking = client.messages.create(ask('abort early?'), { signal: leaving.signal })
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

  test(title('failures come in the dialect of the client'), async () => {
    upstream.clear()
    upstream.script({ status: 400 })
    const refused = await client.messages.create(ask('bad?')).catch(error => error)
    assert.ok(refused instanceof APIError)
    assert.is(refused.status, 400)
    assert.equal((refused.error as { type?: string }).type, 'error')
    upstream.script(() => ({ status: 401 }))
    const credential = await client.messages.create(ask('key?')).catch(error => error)
    assert.is(credential.status, 502, 'a bad vendor key is our fault, not the client’s')
  })

  test(title('a stream that dies is an error, never a short answer'), async () => {
    upstream.clear()
    upstream.script(() => ({ text: 'one two three four five six', dieAfter: 3 }))
    const outcome = await client.messages
      .stream(ask('die?'))
      .finalMessage()
      .then(
        () => undefined,
        error => error,
      )
    assert.instance(outcome, Error)
    upstream.clear()
    await client.messages.create(ask('die?'))
    assert.is(upstream.calls.length, 1, 'nothing of it was stored')
  })

  test(title("the SDK's own retries come through after a passing failure"), async () => {
    upstream.clear()
    const patient = new Anthropic({ baseURL: gateway.url, apiKey: 'any', maxRetries: 2 })
    upstream.script({ status: 529 }, { text: 'at last' })
    const { content } = await patient.messages.create(ask('retry?'))
    assert.equal(
      content.map(block => (block.type === 'text' ? block.text : '')),
      ['at last'],
    )
  })

  test(title('the tool runner, which holds its conversation in a thread, comes to its end'), async () => {
    upstream.clear()
    upstream.script(
      { toolCalls: [{ id: 'toolu_a', name: 'get_weather', arguments: '{"city":"Oslo"}' }] },
      { text: 'Cold.' },
    )
    const runner = client.beta.messages.toolRunner({
      ...ask('weather?'),
      tools: [{ ...weather, type: 'custom' as const, run: () => '2 C', parse: (input: unknown) => input }],
    })
    const { content } = await runner
    assert.equal(
      content.map(block => (block.type === 'text' ? block.text : '')),
      ['Cold.'],
    )
    assert.is(upstream.calls.length, 2)
    const [, second] = upstream.calls
    if (provider === 'anthropic') assert.match(JSON.stringify(second?.body?.thread), /"continue".*"msg_stub_/)
    else assert.match(JSON.stringify(second?.body?.messages), 'weather?')
  })
}

test.run()
