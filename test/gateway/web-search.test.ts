import { isObject } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** Searches of the web between vendors that both have them: which vendor gets one, and what its client reads of it. */

const upstream = await startUpstream()
const gateways = new Map<string, TestGateway>()
async function gatewayTo(provider: string, drop = false): Promise<TestGateway> {
  const name = `${provider} ${drop}`
  const known = gateways.get(name)
  if (known) return known
  const settings = drop ? { SERVICE__HOSTED_TOOLS: 'drop' } : {}
  const gateway = await startGateway({ upstream, provider, settings })
  gateways.set(name, gateway)
  return gateway
}
test.before.each(() => upstream.clear())
test.after(async () => {
  for (const each of [...gateways.values(), upstream]) await each.close()
})

let n = 0
const words = () => `News of day ${n++}?`
const responsesAsk = (tool: object = {}, more: object = {}) => ({
  model: 'm',
  input: words(),
  tools: [{ type: 'web_search', ...tool }],
  ...more,
})
const messagesAsk = (more: object = {}) => ({
  model: 'm',
  max_tokens: 99,
  messages: [{ role: 'user', content: words() }],
  tools: [{ type: 'web_search_20250305', name: 'web_search' }],
  ...more,
})
const chatAsk = (more: object = {}) => ({
  model: 'm',
  messages: [{ role: 'user', content: words() }],
  web_search_options: {},
  ...more,
})

test('a vendor that searches gets the search in its own words', async () => {
  const place = { type: 'approximate', country: 'NO' }
  const anthropic = await gatewayTo('anthropic')
  const asked = responsesAsk({ filters: { allowed_domains: ['a.example'] }, user_location: place })
  assert.is((await anthropic.post('/v1/responses', asked)).status, 200)
  assert.equal(upstream.calls[0]?.body?.tools, [
    { type: 'web_search_20250305', name: 'web_search', allowed_domains: ['a.example'], user_location: place },
  ])
  const gemini = await gatewayTo('gemini')
  assert.is((await gemini.post('/v1/messages', messagesAsk({ model: 'gemini-3.1-flash-lite' }))).status, 200)
  assert.equal(upstream.calls[1]?.body?.tools, [{ googleSearch: {} }])
  const openai = await gatewayTo('openai-responses')
  assert.is((await openai.post('/v1/chat/completions', chatAsk())).status, 200)
  assert.equal(upstream.calls[2]?.body?.tools, [{ type: 'web_search' }])
})

test('only those models of a vendor search that can', async () => {
  const openai = await gatewayTo('openai')
  const refused = await openai.post('/v1/messages', messagesAsk({ model: 'gpt-5.4-nano' }))
  assert.equal([refused.status, refused.json.error.message.includes('tools[0]')], [400, true])
  assert.is((await openai.post('/v1/messages', messagesAsk({ model: 'gpt-5-search-api' }))).status, 200)
  assert.equal(upstream.calls[0]?.body?.web_search_options, {})
  assert.is(upstream.calls[0]?.body?.tools, undefined)
})

test('a vendor that does not search refuses, or the search is left out where the setting says so', async () => {
  for (const provider of ['groq', 'deepseek-messages', 'groq-responses']) {
    const asked = provider === 'groq-responses' ? messagesAsk() : responsesAsk()
    const path = provider === 'groq-responses' ? '/v1/messages' : '/v1/responses'
    const refused = await (await gatewayTo(provider)).post(path, asked)
    assert.is(refused.status, 400, provider)
    assert.match(refused.json.error.message, 'tools[0]')
    assert.is((await (await gatewayTo(provider, true)).post(path, asked)).status, 200, provider)
    assert.is(upstream.calls.at(-1)?.body?.tools, undefined, provider)
  }
})

test('D42: a setting that would be lost is named, and with the setting the whole search is left out', async () => {
  const place = { user_location: { type: 'approximate', city: 'Oslo' } }
  const model = { model: 'gemini-3.1-flash-lite' }
  const refused = await (await gatewayTo('gemini')).post('/v1/responses', responsesAsk(place, model))
  assert.equal([refused.status, refused.json.error.param], [400, 'tools[0].user_location'])
  assert.is((await (await gatewayTo('gemini', true)).post('/v1/responses', responsesAsk(place, model))).status, 200)
  assert.is(upstream.calls.at(-1)?.body?.tools, undefined)
})

test('a vendor that cannot search beside functions gets the functions alone, or nothing', async () => {
  const functions = [{ type: 'function', name: 'f', parameters: null, strict: false }]
  const asked = () => responsesAsk({}, { model: 'gemini-2.5-flash', tools: [...functions, { type: 'web_search' }] })
  const refused = await (await gatewayTo('gemini')).post('/v1/responses', asked())
  assert.equal([refused.status, refused.json.error.param], [400, 'tools[1]'])
  assert.match(refused.json.error.message, 'cannot search beside functions')
  assert.is((await (await gatewayTo('gemini', true)).post('/v1/responses', asked())).status, 200)
  assert.equal(upstream.calls.at(-1)?.body?.tools, [{ functionDeclarations: [{ name: 'f' }] }])
})

test('Gemini models of the third generation and later search beside functions, and no other', async () => {
  const tools = [{ type: 'function', name: 'f', parameters: null, strict: false }, { type: 'web_search' }]
  const gemini = await gatewayTo('gemini')
  const status = async (model: string) =>
    (await gemini.post('/v1/responses', responsesAsk({}, { model, tools }))).status
  const older = ['gemini-2.0-flash', 'gemini-2.5-pro', 'gemini-exp-1206', 'gemini-robotics-er-1.5-preview']
  for (const model of older) assert.is(await status(model), 400, model)
  for (const model of ['gemini-3-pro', 'gemini-4', 'gemini-pro-latest']) assert.is(await status(model), 200, model)
})

/** What the vendor did by itself, before it calls a function: it wants all of it back. */
const DEEDS = [
  { toolCall: { id: 't1', toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['news'] } }, thoughtSignature: 'c2lnMQ==' },
  { toolResponse: { id: 't1', toolType: 'GOOGLE_SEARCH_WEB', response: { found: 1 } }, thoughtSignature: 'c2lnMg==' },
]
const CALLED = { functionCall: { id: 'call_1', name: 'f', args: {} }, thoughtSignature: 'c2lnMw==' }
const searched = {
  candidates: [{ content: { role: 'model', parts: [...DEEDS, CALLED] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  modelVersion: 'gemini-3.1-flash-lite',
  responseId: 'r1',
}
const streamedIn = (answer: object) => ({ sse: [`data: ${JSON.stringify(answer)}\n\n`] })

const NEWEST = { model: 'gemini-3.1-flash-lite' }
const BOTH = {
  tools: [{ functionDeclarations: [{ name: 'f' }] }, { googleSearch: {} }],
  toolConfig: { functionCallingConfig: { mode: 'VALIDATED' }, includeServerSideToolInvocations: true },
}

test('the newest models search beside functions, and get back what they did', async () => {
  const gemini = await gatewayTo('gemini')
  const tools = [{ type: 'function', name: 'f', parameters: null, strict: false }, { type: 'web_search' }]
  const input = [{ role: 'user', content: words() }]
  upstream.script({ json: searched }, {})
  const { json } = await gemini.post('/v1/responses', { ...NEWEST, input, tools, tool_choice: 'auto' })
  const done = { type: 'function_call_output', call_id: 'call_1', output: 'done' }
  await gemini.post('/v1/responses', { ...NEWEST, input: [...input, ...json.output, done], tools })
  const { tools: declared, toolConfig } = upstream.calls[0]?.body ?? {}
  assert.equal({ tools: declared, toolConfig }, BOTH)
  assert.equal(sentBack(), [...DEEDS, CALLED])
})

/** The parts of the model's turn in the second call. */
function sentBack(): unknown {
  const { contents } = upstream.calls[1]?.body ?? {}
  const turn: unknown = Array.isArray(contents) ? contents[1] : undefined
  return isObject(turn) ? turn.parts : undefined
}

test('so they do for a client of messages, streamed as well', async () => {
  const gemini = await gatewayTo('gemini')
  const tools = [
    { name: 'f', input_schema: { type: 'object', properties: {} } },
    { type: 'web_search_20250305', name: 'web_search' },
  ]
  for (const stream of [false, true]) {
    upstream.clear()
    upstream.script(stream ? streamedIn(searched) : { json: searched }, {})
    const asked = messagesAsk({ ...NEWEST, tools })
    const first = await gemini.send('/v1/messages', JSON.stringify({ ...asked, stream }))
    const content = stream ? blocksIn(first.text) : JSON.parse(first.text).content
    const results = [{ type: 'tool_result', tool_use_id: 'call_1', content: 'done' }]
    const turns = [...asked.messages, { role: 'assistant', content }, { role: 'user', content: results }]
    await gemini.post('/v1/messages', { ...asked, messages: turns })
    const { tools: declared, toolConfig } = upstream.calls[0]?.body ?? {}
    assert.equal({ tools: declared, toolConfig }, BOTH)
    assert.equal(sentBack(), [...DEEDS, CALLED], `stream ${stream}`)
  }
})

/** The blocks of a stream whose calls have no arguments. */
const blocksIn = (text: string): object[] =>
  text
    .split('\n')
    .flatMap(line => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
    .flatMap(({ type, content_block: block }) => (type === 'content_block_start' ? [block] : []))

test('so they do for a client of chat completions that sends reasoning back', async () => {
  const gemini = await gatewayTo('gemini')
  const asked = chatAsk({ ...NEWEST, tools: [{ type: 'function', function: { name: 'f' } }] })
  upstream.script({ json: searched }, {})
  const { json } = await gemini.post('/v1/chat/completions', asked)
  const result = { role: 'tool', tool_call_id: 'call_1', content: 'done' }
  const turns = [...asked.messages, json.choices[0].message, result]
  await gemini.post('/v1/chat/completions', { ...asked, messages: turns })
  assert.equal(sentBack(), [...DEEDS, CALLED])
})

test('another vendor gets nothing of it', async () => {
  const tools = [{ type: 'function', name: 'f', parameters: null, strict: false }, { type: 'web_search' }]
  const input = [{ role: 'user', content: words() }]
  upstream.script({ json: searched }, {})
  const { json } = await (await gatewayTo('gemini')).post('/v1/responses', { ...NEWEST, input, tools })
  const done = { type: 'function_call_output', call_id: 'call_1', output: 'done' }
  const asked = { model: 'm', input: [...input, ...json.output, done], tools: tools.slice(0, 1) }
  for (const [provider, path] of [
    ['anthropic', '/v1/responses'],
    ['openai', '/v1/responses'],
    ['openai-responses', '/v1/responses'],
  ] as const) {
    assert.is((await (await gatewayTo(provider)).post(path, asked)).status, 200, provider)
    assert.not.match(upstream.calls.at(-1)?.raw.toString() ?? '', /toolCall|part:|c2lnM/, provider)
  }
})

const found = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'news' } },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
    {
      type: 'text',
      text: 'Much.',
      citations: [
        {
          type: 'web_search_result_location',
          url: 'https://a.example',
          title: 'A',
          cited_text: 'x',
          encrypted_index: 'y',
        },
      ],
    },
  ],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
}

test('a client of another dialect gets the words and their sources, and nothing to run', async () => {
  upstream.script({ json: found })
  const { status, json } = await (await gatewayTo('anthropic')).post('/v1/chat/completions', chatAsk())
  assert.is(status, 200)
  const [{ message, finish_reason }] = json.choices
  assert.equal([message.content, message.tool_calls, finish_reason], ['Much.', undefined, 'stop'])
  assert.equal(message.annotations[0].url_citation, {
    start_index: 0,
    end_index: 5,
    url: 'https://a.example',
    title: 'A',
    content: 'x',
  })
})

test('what a translated search found is asked for each time, as the copy would lose a part of it', async () => {
  const anthropic = await gatewayTo('anthropic')
  const asked = chatAsk()
  upstream.script({ json: found }, { json: found })
  for (let round = 0; round < 2; round++) assert.is((await anthropic.post('/v1/chat/completions', asked)).status, 200)
  assert.is(upstream.calls.length, 2)
})

test.run()
