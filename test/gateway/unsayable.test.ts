import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** What a vendor's dialect has no words for goes to the next provider, or is refused by its field (D42, R9). */

const messagesVendor = await startUpstream()
const chatVendor = await startUpstream()
const fallback = [{ provider: 'openai', url: chatVendor.url, api_key: 'k', model: 'fallback-model' }]
const alone = await startGateway({ upstream: messagesVendor, provider: 'anthropic' })
const chained = await startGateway({
  upstream: messagesVendor,
  provider: 'anthropic',
  settings: { SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallback) },
})
const chat = await startGateway({ upstream: chatVendor })
test.before.each(() => {
  messagesVendor.clear()
  chatVendor.clear()
})
test.after(async () => {
  for (const each of [alone, chained, chat, messagesVendor, chatVendor]) await each.close()
})

let n = 0
const body = (more: object = {}) => ({
  model: 'claude-sonnet-4-5',
  max_tokens: 9,
  messages: [{ role: 'user', content: `wish ${n++}` }],
  ...more,
})
const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
const jsonSchema = { type: 'json_schema', json_schema: { name: 'out', schema, strict: true } }

const wishes: Record<string, { readonly asked: object; readonly param: string }> = {
  'several choices': { asked: { n: 2 }, param: 'n' },
  probabilities: { asked: { logprobs: true, top_logprobs: 2 }, param: 'logprobs' },
  speech: { asked: { modalities: ['text', 'audio'], audio: { voice: 'a', format: 'wav' } }, param: 'audio' },
  'a schema of a model without schemas': {
    asked: { model: 'claude-3-haiku', response_format: jsonSchema },
    param: 'response_format',
  },
  'a search with a setting that the next vendor lacks': {
    asked: { web_search_options: { newest: true } },
    param: 'web_search_options.newest',
  },
  'a tool of the vendor': { asked: { tools: [{ type: 'web_search_preview' }] }, param: 'tools' },
}

for (const [wish, { asked, param }] of Object.entries(wishes)) {
  for (const stream of [false, true]) {
    test(`${wish}, ${stream ? 'streamed' : 'whole'}: the next vendor of the chain, or 400 with the field`, async () => {
      const refused = await alone.post('/v1/chat/completions', body({ ...asked, stream }))
      assert.is(refused.status, 400)
      assert.is(refused.json.error.type, 'invalid_request_error')
      assert.is(refused.json.error.param, param)
      assert.is(refused.headers.get('x-should-retry'), 'false')
      assert.is(messagesVendor.calls.length, 0)
      const served = await chained.send('/v1/chat/completions', JSON.stringify(body({ ...asked, stream })))
      assert.is(served.status, 200)
      assert.is(served.headers.get('x-service-provider'), 'openai')
      assert.is(messagesVendor.calls.length, 0)
      assert.is(chatVendor.calls.length, 1)
      for (const [field, value] of Object.entries(asked))
        if (field !== 'model') assert.equal(chatVendor.calls[0]?.body?.[field], value)
    })
  }
}

test('a vendor that is out of credit is told of, whatever the next one cannot say (D15)', async () => {
  const entry = { provider: 'anthropic', url: messagesVendor.url, api_key: 'k', model: 'claude-sonnet-4-5' }
  const settings = { SERVICE__FALLBACK_PROVIDERS: JSON.stringify([entry]) }
  const gateway = await startGateway({ upstream: chatVendor, settings })
  const error = { message: 'you exceeded your quota', type: 'insufficient_quota', code: 'insufficient_quota' }
  chatVendor.script(() => ({ status: 429, json: { error } }))
  // Once as the vendor says it, once while its key rests.
  for (let request = 0; request < 2; request++) {
    const { status, json, headers } = await gateway.post('/v1/chat/completions', body({ n: 2 }))
    assert.equal([status, json.error.type, json.error.code], [429, 'insufficient_quota', 'insufficient_quota'])
    assert.is(headers.get('x-should-retry'), 'false')
  }
  assert.equal([chatVendor.calls.length, messagesVendor.calls.length], [1, 0])
  await gateway.close()
})

test('default values ask for nothing', async () => {
  const asked = { n: 1, logprobs: false, modalities: ['text'], response_format: { type: 'text' }, audio: null }
  const { status, json } = await alone.post('/v1/chat/completions', body(asked))
  assert.is(status, 200)
  assert.is(json.choices.length, 1)
  assert.is(messagesVendor.calls.length, 1)
})

test('a schema is held in both directions, under either of its names', async () => {
  await alone.post('/v1/chat/completions', body({ response_format: jsonSchema }))
  assert.equal(messagesVendor.calls[0]?.body?.output_config, { format: { type: 'json_schema', schema } })
  const format = { type: 'json_schema', schema }
  for (const asked of [{ output_format: format }, { output_config: { format } }]) {
    await chat.post('/v1/messages', body(asked))
    assert.equal(chatVendor.calls.at(-1)?.body?.response_format, {
      type: 'json_schema',
      json_schema: { name: 'answer', schema, strict: true },
    })
  }
})

test('what only a messages vendor can do is refused by a chat vendor', async () => {
  const wishes: readonly (readonly [object, string])[] = [
    [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'web_search'],
    [{ mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'm' }] }, 'mcp_servers'],
    [{ safeguards: { input: true } }, 'safeguards'],
    [{ stop_sequences: ['a', 'b', 'c', 'd', 'e'] }, 'stop_sequences'],
  ]
  for (const [asked, word] of wishes) {
    const { status, json } = await chat.post('/v1/messages', body(asked))
    assert.equal([status, json.error.type], [400, 'invalid_request_error'])
    assert.match(json.error.message, word)
  }
  assert.is(chatVendor.calls.length, 0)
})

test('a refusal names the field as its client wrote it', async () => {
  const user = { role: 'user', content: 'hello' }
  const stops = ['a', 'b', 'c', 'd', 'e', 'f']
  const schema = { type: 'object' }
  const contents = [{ role: 'user', parts: [{ text: 'hello' }] }]
  const sound = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }
  const gemini = '/v1beta/models/claude-3-haiku:generateContent'
  const config = (generationConfig: object) => ({ contents, generationConfig })
  const cases: readonly (readonly [typeof alone, string, object, string])[] = [
    [chat, '/v1/messages', body({ stop_sequences: stops }), 'stop_sequences'],
    [chat, gemini, config({ stopSequences: stops }), 'generationConfig.stopSequences'],
    [alone, gemini, config({ responseLogprobs: true }), 'generationConfig.responseLogprobs'],
    [
      alone,
      gemini,
      config({ responseMimeType: 'application/json', responseSchema: schema }),
      'generationConfig.responseMimeType',
    ],
    [
      alone,
      '/v1/responses',
      { model: 'claude-3-haiku', input: 'hi', text: { format: { type: 'json_schema', name: 'a', schema } } },
      'text.format',
    ],
    [alone, '/v1/responses', { model: 'm', input: 'hi', include: ['message.output_text.logprobs'] }, 'include'],
    [alone, '/v1/responses', { model: 'm', input: [{ role: 'user', content: [sound] }] }, 'input'],
    [alone, '/v1/chat/completions', { model: 'claude-3-haiku', messages: [user], n: 2 }, 'n'],
  ]
  for (const [gateway, path, asked, field] of cases) {
    const { status, json } = await gateway.post(path, asked)
    assert.is(status, 400, path)
    assert.ok(json.error.message.startsWith(`${field}:`), json.error.message)
    if ('param' in json.error) assert.is(json.error.param, field)
  }
  assert.equal([messagesVendor.calls.length, chatVendor.calls.length], [0, 0])
})

test('what a preset cannot do is refused by the name that the client has for it', async () => {
  const vendor = await startUpstream()
  const settings = {
    SERVICE__LLM_PROVIDER: 'zai',
    SERVICE__EXTERNAL_LLM_URL: vendor.url,
    SERVICE__EXTERNAL_LLM_API_KEY: 'k',
  }
  const gateway = await startGateway({ settings })
  const tools = [{ name: 'f', input_schema: { type: 'object' } }]
  const forced = await gateway.post('/v1/messages', body({ tools, tool_choice: { type: 'any' } }))
  assert.match(forced.json.error.message, /^tool_choice:/)
  const format = { type: 'json_schema', schema }
  const held = await gateway.post('/v1/messages', body({ output_config: { format } }))
  assert.match(held.json.error.message, /^output_config\.format:/)
  const functionDeclarations = [{ name: 'f', parameters: { type: 'object' } }]
  const asked = {
    contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
    tools: [{ functionDeclarations }],
    toolConfig: { functionCallingConfig: { mode: 'ANY' } },
  }
  const called = await gateway.post('/v1beta/models/glm-5:generateContent', asked)
  assert.match(called.json.error.message, /^toolConfig:/)
  assert.is(vendor.calls.length, 0)
  await gateway.close()
  await vendor.close()
})

test('a document that cannot be sent is refused by the field that its client knows', async () => {
  const url = 'https://example.com/a.pdf'
  const pdf = { type: 'document', source: { type: 'url', url } }
  const inMessages = await chat.post('/v1/messages', body({ messages: [{ role: 'user', content: [pdf] }] }))
  const file = { type: 'input_file', file_url: url }
  const input = [{ type: 'message', role: 'user', content: [file] }]
  const inResponses = await chat.post('/v1/responses', { model: 'm', input })
  const parts = [{ fileData: { mimeType: 'application/pdf', fileUri: url } }]
  const inContents = await chat.post('/v1beta/models/m:generateContent', { contents: [{ role: 'user', parts }] })
  const what = 'a document by URL cannot be sent in the chat-completions format'
  assert.equal([inMessages.status, inMessages.json.error.message], [400, `messages: ${what}`])
  assert.equal([inResponses.status, inResponses.json.error.param], [400, 'input'])
  assert.equal([inContents.status, inContents.json.error.message], [400, `contents: ${what}`])
  assert.is(chatVendor.calls.length, 0)
})

test.run()
