import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

const question = { model: 'claude-x', messages: [{ role: 'user' as const, content: 'Why is the sky blue?' }] }

async function gatewayFor(provider: string): Promise<{ gateway: TestGateway; upstream: Upstream; client: Anthropic }> {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider })
  return { gateway, upstream, client: new Anthropic({ apiKey: 'k', baseURL: gateway.url, maxRetries: 0 }) }
}

// D22
test("a messages vendor counts for itself: the client's bytes go there and its answer comes back", async () => {
  const { gateway, upstream } = await gatewayFor('anthropic')
  upstream.script({ raw: '{ "input_tokens" : 14, "context_management": null }', headers: { 'request-id': 'v1' } })
  const body = `{"messages":[{"role":"user","content":"é"}], "model" : "claude-x"}`
  const reply = await gateway.send('/v1/messages/count_tokens', body, { 'anthropic-beta': 'b-1' })
  assert.is(reply.text, '{ "input_tokens" : 14, "context_management": null }')
  assert.is(reply.headers.get('x-service-estimate'), null)
  assert.is(reply.headers.get('x-service-layer'), 'l3')
  assert.is(reply.headers.get('x-service-provider'), 'anthropic')
  const [call] = upstream.calls
  assert.is(call?.path, '/v1/messages/count_tokens')
  assert.is(call?.raw.toString(), body)
  assert.is(call?.headers['anthropic-beta'], 'b-1')
  await gateway.close()
})

test('for any other vendor the official SDK gets a labelled estimate, and no call is made', async () => {
  const { gateway, upstream, client } = await gatewayFor('openai')
  const { data, response } = await client.messages.countTokens(question).withResponse()
  assert.ok(data.input_tokens > 6 && data.input_tokens < 30, String(data.input_tokens))
  assert.is(response.headers.get('x-service-estimate'), 'true')
  assert.is(response.headers.get('x-service-layer'), 'l0')
  assert.is(response.headers.get('x-service-deflected'), 'false')
  const more = await client.messages.countTokens({
    ...question,
    system: 'Answer like a pirate, in one sentence of at most twelve words.',
    tools: [{ name: 'weather', description: 'tells the weather of a town', input_schema: { type: 'object' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Why is the sky blue?' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(400) } },
        ],
      },
    ],
  })
  assert.ok(more.input_tokens > data.input_tokens + 1600 + 20, String(more.input_tokens))
  assert.is(upstream.calls.length, 0)
  await gateway.close()
})

test('an estimate is never 0, also of what is no conversation', async () => {
  const { gateway } = await gatewayFor('openai')
  for (const content of ['', [], [{ type: 'unheard-of' }]]) {
    const reply = await gateway.post('/v1/messages/count_tokens', { messages: [{ role: 'user', content }] })
    assert.is(reply.status, 200)
    assert.ok(reply.json.input_tokens >= 1)
  }
  const refused = await gateway.post('/v1/messages/count_tokens', { messages: 'hello' })
  assert.equal([refused.status, refused.json.error.type], [400, 'invalid_request_error'])
  await gateway.close()
})

test('a prompt that a rule keeps on the machine is not sent out to be counted', async () => {
  const upstream = await startUpstream()
  const file = `[classifier_routing]\nenabled = true\nmatrix = { default = { default = "local" } }\n`
  const gateway = await startGateway({ upstream, provider: 'anthropic', file })
  const content = 'Write a Python function that checks whether a number is prime.'
  const messages = [{ role: 'user', content }]
  const reply = await gateway.post('/v1/messages/count_tokens', { model: 'claude-x', messages })
  assert.equal([reply.status, reply.headers.get('x-service-estimate')], [200, 'true'])
  assert.is(upstream.calls.length, 0)
  await gateway.close()
})

// D44
test('a vendor that does not count is estimated for, and its key rests for no such failure', async () => {
  const { gateway, upstream } = await gatewayFor('anthropic')
  for (const status of [429, 401, 500, 404]) {
    upstream.script({ status, headers: { 'retry-after': '60' } })
    const reply = await gateway.post('/v1/messages/count_tokens', question)
    assert.is(reply.status, 200)
    assert.is(reply.headers.get('x-service-estimate'), 'true')
  }
  assert.is(upstream.calls.length, 4)
  const chat = await gateway.post('/v1/messages', { ...question, max_tokens: 5 })
  assert.equal([chat.status, chat.headers.get('x-service-provider')], [200, 'anthropic'])
  await gateway.close()
})

test('what a vendor refuses in a request is told to the client', async () => {
  const { gateway, upstream } = await gatewayFor('anthropic')
  upstream.script({ status: 400 })
  const reply = await gateway.post('/v1/messages/count_tokens', question)
  assert.equal([reply.status, reply.json.error.type], [400, 'invalid_request_error'])
  await gateway.close()
})

test('the model is the one that a chat would be asked of, and nothing is cached', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({
    upstream,
    provider: 'anthropic',
    settings: { SERVICE__MODEL_ALIASES: '{"quick":"claude-real"}' },
  })
  upstream.script({ json: { input_tokens: 3 } }, { json: { input_tokens: 4 } })
  const { messages } = question
  const counts = [await gateway.post('/v1/messages/count_tokens', { model: 'quick', messages })]
  counts.push(await gateway.post('/v1/messages/count_tokens', { model: 'quick', messages }))
  assert.equal(
    counts.map(({ json }) => json.input_tokens),
    [3, 4],
  )
  assert.is(upstream.calls[0]?.body?.model, 'claude-real')
  await gateway.close()
})

test('offline it is estimated', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({
    upstream,
    provider: 'anthropic',
    settings: { SERVICE__OFFLINE_MODE: 'true' },
  })
  const reply = await gateway.post('/v1/messages/count_tokens', question)
  assert.equal([reply.status, reply.headers.get('x-service-estimate')], [200, 'true'])
  assert.is(upstream.calls.length, 0)
  await gateway.close()
})

const asked = { model: 'gpt-x', input: 'Why is the sky blue?' }

test('responses: the vendor counts where it speaks them, and is told the model that a request would have', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({
    upstream,
    provider: 'openai-responses',
    settings: { SERVICE__MODEL_ALIASES: '{"quick":"gpt-real"}' },
  })
  const counted = '{ "object": "response.input_tokens", "input_tokens" : 11 }'
  upstream.script({ raw: counted })
  const reply = await gateway.send('/v1/responses/input_tokens', '{ "model":"quick",  "input":"é" }')
  assert.equal([reply.text, reply.headers.get('x-service-estimate')], [counted, null])
  const [call] = upstream.calls
  assert.equal(
    [call?.path, call?.raw.toString()],
    ['/v1/responses/input_tokens', '{ "model":"gpt-real",  "input":"é" }'],
  )
  upstream.script({ status: 404 })
  const estimated = await gateway.post('/v1/responses/input_tokens', asked)
  assert.equal([estimated.status, estimated.headers.get('x-service-estimate')], [200, 'true'])
  await gateway.close()
})

for (const provider of ['openai', 'anthropic']) {
  test(`responses: before ${provider} the official SDK gets a labelled estimate, and no call is made`, async () => {
    const { gateway, upstream } = await gatewayFor(provider)
    const client = new OpenAI({ apiKey: 'k', baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const { data, response } = await client.responses.inputTokens.count(asked).withResponse()
    assert.is(data.object, 'response.input_tokens')
    assert.ok(data.input_tokens > 6 && data.input_tokens < 30, String(data.input_tokens))
    assert.is(response.headers.get('x-service-estimate'), 'true')
    const instructions = 'Answer like a pirate, in one sentence of at most twelve words.'
    const more = await client.responses.inputTokens.count({ ...asked, instructions })
    assert.ok(more.input_tokens > data.input_tokens + 10, String(more.input_tokens))
    assert.is(upstream.calls.length, 0)
    await gateway.close()
  })
}

test('responses: words that only their vendor has are not estimated, but refused by their field', async () => {
  const { gateway } = await gatewayFor('openai')
  const refused = await gateway.post('/v1/responses/input_tokens', { ...asked, previous_response_id: 'resp_1' })
  assert.equal([refused.status, refused.json.error.param], [400, 'previous_response_id'])
  await gateway.close()
})

test.run()
