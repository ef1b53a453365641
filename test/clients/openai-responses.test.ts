import OpenAI from 'openai'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { checkResponsesGrammar } from '../support/grammar/responses.ts'
import { startUpstream } from '../support/upstream.ts'

/** The official SDK's responses, before a vendor of each format. */

const model = 'gpt-test'
const weather = {
  type: 'function' as const,
  name: 'get_weather',
  strict: false,
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
}

for (const provider of ['openai-responses', 'openai', 'anthropic']) {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider })
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'any', maxRetries: 0 })
  const check = (title: string, run: () => Promise<void>): void =>
    void test(`${provider}: ${title}`, async () => {
      upstream.clear()
      await run()
    })

  check('a question has an answer, and the same answer again', async () => {
    upstream.script({ text: 'Oslo, of course' })
    for (const where of ['miss', 'hit']) {
      const answer = await client.responses.create({ model, input: 'capital?', store: false })
      assert.is(answer.output_text, 'Oslo, of course', where)
      assert.is(answer.status, 'completed')
      assert.is(answer.usage?.total_tokens, 12)
    }
    assert.is(upstream.calls.length, 1)
  })

  check('a stream gathers to the same answer, also from the cache', async () => {
    upstream.script({ text: 'Zwölf Boxkämpfer 日本 👩‍👩‍👧', splitEvery: 1 })
    for (const where of ['miss', 'hit']) {
      const final = await client.responses.stream({ model, input: 'stream?', store: false }).finalResponse()
      assert.is(final.output_text, 'Zwölf Boxkämpfer 日本 👩‍👩‍👧', where)
      assert.is(final.status, 'completed')
    }
    assert.is(upstream.calls.length, 1)
  })

  check('parallel calls keep their ids, order and arguments, streamed or not', async () => {
    const toolCalls = [
      { id: 'call_a', name: 'get_weather', arguments: '{"city":"Oslo"}' },
      { id: 'call_b', name: 'get_weather', arguments: '{"city":"Rome"}' },
      { id: 'call_c', name: 'get_weather', arguments: '{}' },
    ]
    upstream.script({ toolCalls }, { toolCalls })
    const whole = await client.responses.create({ model, input: 'tools?', tools: [weather], store: false })
    const streamed = await client.responses
      .stream({ model, input: 'tools, streamed?', tools: [weather], store: false })
      .finalResponse()
    for (const { output } of [whole, streamed])
      assert.equal(
        output.flatMap(item =>
          item.type === 'function_call' ? [{ id: item.call_id, name: item.name, arguments: item.arguments }] : [],
        ),
        toolCalls,
      )
  })

  check('an answer of a schema is parsed', async () => {
    upstream.script({ text: '{"city":"Oslo"}' })
    const answer = await client.responses.parse({
      model: 'claude-opus-4-5',
      input: 'schema?',
      store: false,
      text: {
        format: {
          type: 'json_schema',
          name: 'place',
          strict: true,
          schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
      },
    })
    assert.is(answer.output_text, '{"city":"Oslo"}')
    assert.match(JSON.stringify(upstream.calls[0]?.body), '"additionalProperties":false')
  })

  check('a stream that dies is an error, never a short answer', async () => {
    upstream.script(() => ({ text: 'one two three four five six', dieAfter: 6 }))
    const outcome = await client.responses
      .stream({ model, input: 'die?', store: false })
      .finalResponse()
      .then(
        () => undefined,
        error => error,
      )
    assert.instance(outcome, Error)
  })

  check('its events keep the grammar', async () => {
    upstream.script({ text: 'Twelve words.', toolCalls: [{ id: 'call_a', name: 'get_weather', arguments: '{}' }] })
    for (const _ of ['miss', 'hit']) {
      const { text, headers } = await gateway.stream('/v1/responses', { model, input: 'events?', store: false })
      assert.match(headers.get('content-type') ?? '', 'text/event-stream')
      // A vendor of the format is passed on as it is.
      if (provider !== 'openai-responses') checkResponsesGrammar(text)
    }
  })
}

test.run()
