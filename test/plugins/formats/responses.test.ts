import { type Completion, GatewayError, isGatewayError, type JsonObject, replay } from 'deflector'
import { isCacheable } from 'deflector/facets/vendor-state'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkResponsesGrammar, responsesLadder } from '../../support/grammar/responses.ts'
import { assembled, chunks, decoded, encoded, promptIn, reply } from './messages-stream.ts'

const target = { model: 'm', stream: false }
const asked = { role: 'user', content: 'Weather in Oslo and Rome?' }
const decode = (body: JsonObject) => responses.decodePrompt({ model: 'm', ...body })
const toChat = (body: JsonObject): JsonObject => chatCompletions.encodePrompt(decode(body), target)
const toMessages = (body: JsonObject): JsonObject =>
  messages.encodePrompt(decode(body), { model: 'claude-opus-4-5', stream: false })
const toResponses = (body: JsonObject): JsonObject => responses.encodePrompt(chatCompletions.decodePrompt(body), target)

function refusal(run: () => unknown): GatewayError {
  try {
    run()
  } catch (error) {
    if (isGatewayError(error)) return error
    throw error
  }
  throw new Error('it should have been refused')
}

// --- head and state

const headOf = (body: JsonObject) => responses.readHead({ model: 'm', ...body }, { ...NO_CALL })
const NO_CALL = { path: '', params: {}, query: new URLSearchParams(), headers: {} }

test('a head needs something to answer', () => {
  assert.is(headOf({ input: 'hi', stream: true }).stream, true)
  assert.is(refusal(() => headOf({})).param, 'input')
  assert.is(refusal(() => headOf({ input: [] })).param, 'input')
  assert.is(refusal(() => headOf({ input: ['text'] })).param, 'input[0]')
  assert.is(refusal(() => headOf({ input: 3 })).param, 'input')
  for (const instead of [{ previous_response_id: 'r' }, { prompt: { id: 'p' } }, { conversation: { id: 'c' } }])
    assert.is(headOf({ input: [], ...instead }).model, 'm')
})

test('an answer that ended too early is told as cut, whatever its vendor calls it', () => {
  for (const incomplete_details of [null, undefined, { reason: 'other' }, { reason: 'max_output_tokens' }]) {
    const response = { id: 'r', model: 'm', status: 'incomplete', incomplete_details, output: [] }
    assert.is(responses.decodeAnswer(response).stop.reason, 'length')
    for (const status of ['incomplete', undefined, 'in_progress']) {
      const last = { type: 'response.incomplete', response: { ...response, status } }
      const [stop] = responses
        .streamDecoder()
        .push({ data: JSON.stringify(last) })
        .flatMap(event => (event.type === 'stop' ? [event.stop] : []))
      assert.is(stop?.reason, 'length')
    }
  }
})

test('D33: what a request makes or needs at its vendor', () => {
  const state = (body: JsonObject) => headOf({ input: 'hi', ...body }).state
  assert.is(state({ store: false }), undefined)
  assert.equal(state({}), { field: 'store', refers: [], creates: true })
  assert.equal(state({ store: true }), state({}))
  assert.equal(state({ previous_response_id: 'resp_1', store: false }), {
    field: 'previous_response_id',
    refers: ['resp_1'],
    creates: false,
  })
  assert.equal(state({ conversation: { id: 'conv_1' } })?.refers, ['conv_1'])
  assert.equal(state({ conversation: 'conv_1' })?.field, 'conversation')
  assert.equal(state({ background: true }), {
    field: 'background',
    refers: [],
    creates: true,
    essential: true,
    starts: true,
    goesOn: true,
  })
  assert.is(state({ background: true, previous_response_id: 'resp_1' })?.starts, true)
  const items = [
    { role: 'user', content: [{ type: 'input_image', file_id: 'file_1' }] },
    { type: 'item_reference', id: 'msg_1' },
    { id: 'msg_2' },
    { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_file', file_id: 'file_2' }] },
    { type: 'message', id: 'msg_3', role: 'user', content: 'not a reference' },
    { type: 'image_generation_call', id: 'ig_1' },
    { type: 'image_generation_call', id: 'ig_2', status: 'completed', result: 'aGVyb24=' },
    { type: 'reasoning', id: 'rs_2', summary: [] },
  ]
  const found = state({ input: items })
  assert.equal(found?.refers, ['file_1', 'msg_1', 'msg_2', 'file_2', 'ig_1'])
  assert.is(found?.field, 'input[0].content[0].file_id')
  const tools = [
    { type: 'file_search', vector_store_ids: ['vs_1'] },
    { type: 'code_interpreter', container: 'cntr_1' },
    { type: 'code_interpreter', container: { type: 'auto', file_ids: ['file_3'] } },
  ]
  assert.equal(state({ tools })?.refers, ['vs_1', 'cntr_1', 'file_3'])
})

test('D33: a prompt that its vendor holds is state of the vendor', () => {
  const { state } = headOf({ input: 'hi', prompt: { id: 'pmpt_1' }, store: false })
  assert.equal(state, { field: 'prompt', refers: [], creates: false, essential: true })
  assert.is(state !== undefined && isCacheable({ state }), false)
})

test('a conversation that says nothing asks to go on', () => {
  const { input } = toResponses({ model: 'm', messages: [{ role: 'user', content: '' }] })
  assert.equal(input, [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Continue.' }] }])
})

test('D33: an answer is known by its id, unless it was not stored', () => {
  const response = { id: 'resp_1', object: 'response', store: true, conversation: { id: 'conv_1' } }
  assert.equal(responses.stateIn?.(response), ['resp_1', 'conv_1'])
  assert.equal(responses.stateIn?.({ type: 'response.created', response }), ['resp_1', 'conv_1'])
  assert.equal(responses.stateIn?.({ ...response, store: false }), [])
  assert.equal(responses.stateIn?.({ type: 'response.output_text.delta', delta: 'x' }), [])
})

// --- prompts

const history = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Weather in Oslo and Rome?' }] },
  { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' },
  {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Checking.', annotations: [] }],
    phase: 'commentary',
  },
  { type: 'function_call', call_id: 'call_a1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
  { type: 'function_call', call_id: 'call_b2', name: 'get_weather', arguments: '{"city":"Rome"}' },
  { type: 'function_call_output', call_id: 'call_a1', output: '2 C' },
  { type: 'function_call_output', call_id: 'call_b2', output: '19 C' },
]

test('items become turns: what the model did in a row is one, and so are outputs in a row', () => {
  const { system, turns } = decode({ instructions: 'Be brief.', input: history })
  assert.equal(system, ['Be brief.'])
  assert.equal(
    turns.map(({ role, blocks }) => [role, ...blocks.map(({ type }) => type)]),
    [
      ['user', 'text'],
      ['assistant', 'reasoning', 'text', 'tool_call', 'tool_call'],
      ['user', 'tool_result', 'tool_result'],
    ],
  )
  assert.equal(turns[1]?.blocks[0], { type: 'reasoning', text: '', redacted: 'sealed', origin: 'responses' })
})

test('one history reads the same in three dialects', () => {
  const call = (id: string, city: string) => ({
    id,
    type: 'function',
    function: { name: 'get_weather', arguments: `{"city":"${city}"}` },
  })
  assert.equal(toChat({ instructions: 'Be brief.', input: history }).messages, [
    { role: 'system', content: 'Be brief.' },
    asked,
    { role: 'assistant', content: 'Checking.', tool_calls: [call('call_a1', 'Oslo'), call('call_b2', 'Rome')] },
    { role: 'tool', tool_call_id: 'call_a1', content: '2 C' },
    { role: 'tool', tool_call_id: 'call_b2', content: '19 C' },
  ])
  assert.equal(toMessages({ instructions: 'Be brief.', input: history }).messages, [
    asked,
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Checking.' },
        { type: 'tool_use', id: 'call_a1', name: 'get_weather', input: { city: 'Oslo' } },
        { type: 'tool_use', id: 'call_b2', name: 'get_weather', input: { city: 'Rome' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_a1', content: '2 C' },
        { type: 'tool_result', tool_use_id: 'call_b2', content: '19 C' },
      ],
    },
  ])
  const back = toResponses(toChat({ instructions: 'Be brief.', input: history }))
  assert.is(back.instructions, 'Be brief.')
  // What only its vendor can read of the reasoning does not come through another dialect.
  const { phase: _, ...said } = history[2] ?? {}
  assert.equal(back.input, [history[0], said, ...history.slice(3)])
})

test('what the model said in a row is one text, apart by a blank line as clients of other formats are shown it', () => {
  const message = (text: string, phase: string) => ({
    type: 'message',
    role: 'assistant',
    phase,
    content: [{ type: 'output_text', text, annotations: [] }],
  })
  const [wait, fine] = [message('w', 'commentary'), message('f', 'final_answer')]
  const thought = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }] }
  const shown = responses.decodeAnswer({
    id: 'r',
    object: 'response',
    status: 'completed',
    model: 'm',
    output: [wait, fine],
  })
  assert.equal(
    shown.blocks.map(block => (block.type === 'text' ? block.text : block.type)),
    ['w\n\nf'],
  )
  for (const said of [
    [wait, fine],
    [wait, thought, fine],
  ]) {
    const input = [{ role: 'user', content: 'a' }, ...said, { role: 'user', content: 'b' }]
    assert.equal(toChat({ input }).messages, [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'w\n\nf' },
      { role: 'user', content: 'b' },
    ])
  }
  // Pieces of one text, such as a vendor cites them, stay together.
  const pieces = ['One ', 'text.'].map(text => ({ type: 'text', text }))
  const { messages: said } = chatCompletions.encodePrompt(
    messages.decodePrompt({ max_tokens: 9, messages: [asked, { role: 'assistant', content: pieces }] }),
    { model: 'm', stream: false },
  )
  assert.equal((said as unknown[])[1], { role: 'assistant', content: 'One text.' })
})

test('an image goes to a chat vendor in a word that it has for its detail', () => {
  const words = { auto: 'auto', low: 'low', high: 'high', original: 'high', constructor: undefined }
  for (const [detail, word] of Object.entries(words)) {
    const content = [{ type: 'input_image', image_url: 'https://example.org/a.png', detail }]
    const image = { url: 'https://example.org/a.png', ...(word && { detail: word }) }
    assert.equal(toChat({ input: [{ role: 'user', content }] }).messages, [
      { role: 'user', content: [{ type: 'image_url', image_url: image }] },
    ])
  }
})

test('a system or developer message keeps its place, and joins the head before the first turn', () => {
  const { system, turns } = decode({
    instructions: 'One.',
    input: [
      { role: 'developer', content: 'Two.' },
      asked,
      { role: 'developer', content: 'Now in French.' },
      { role: 'system', content: [{ type: 'input_text', text: 'And short.' }] },
    ],
  })
  assert.equal(system, ['One.', 'Two.'])
  assert.equal(
    turns.map(({ role }) => role),
    ['user', 'system', 'system'],
  )
  const items = responses.encodePrompt({ system, turns, tools: [], sampling: {} }, target).input as JsonObject[]
  assert.equal(
    items.map(({ role }) => role),
    ['user', 'developer', 'developer'],
  )
})

test('images, files and audio are read in each of their forms', () => {
  const content = [
    { type: 'input_image', image_url: 'data:image/png;base64,iVBO', detail: 'low' },
    { type: 'input_image', image_url: 'https://example.org/a.png' },
    { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' },
    { type: 'input_file', file_url: 'https://example.org/a.pdf' },
    { type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } },
  ]
  const chat = decode({ input: [{ role: 'user', content }] })
  assert.equal(chat.turns[0]?.blocks, [
    { type: 'image', source: { data: 'iVBO', mediaType: 'image/png' }, detail: 'low' },
    { type: 'image', source: { url: 'https://example.org/a.png' } },
    { type: 'document', source: { data: 'JVBE', mediaType: 'application/pdf' }, title: 'a.pdf' },
    { type: 'document', source: { url: 'https://example.org/a.pdf' } },
    { type: 'audio', source: { data: 'UklG', mediaType: 'audio/wav' } },
  ])
  const [again] = responses.encodePrompt(chat, target).input as { content: unknown }[]
  assert.equal(again?.content, [content[0], { ...content[1], detail: 'auto' }, ...content.slice(2)])
})

test('a tool whose output holds an image keeps it', () => {
  const output = [
    { type: 'input_text', text: 'see' },
    { type: 'input_image', image_url: 'https://example.org/a.png', detail: 'auto' },
  ]
  const input = [
    asked,
    { type: 'function_call', call_id: 'a', name: 'shot', arguments: '{}' },
    { type: 'function_call_output', call_id: 'a', output },
  ]
  const again = responses.encodePrompt(decode({ input }), target).input as JsonObject[]
  assert.equal(again.at(-1), input[2])
  assert.match(JSON.stringify(toChat({ input }).messages), 'https://example.org/a.png')
})

test('a call without an output is told so once the conversation went on, and an output without a call goes', () => {
  const chat = chatCompletions.decodePrompt({
    messages: [
      asked,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '' } }],
      },
      { role: 'tool', tool_call_id: 'other', content: 'lost' },
      { role: 'user', content: 'And?' },
    ],
  })
  const items = responses.encodePrompt(chat, target).input as JsonObject[]
  assert.equal(items.slice(1, 3), [
    { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'a', output: 'no result recorded' },
  ])
  assert.not.match(JSON.stringify(items), 'lost')
})

const schema = { type: 'object', properties: { city: { type: 'string' } } }
const grammar = { syntax: 'lark', definition: 'start: "a"' }
const patchTool = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits.',
  format: { type: 'grammar', ...grammar },
}

test('R10: functions, free-form tools and namespaces reach a vendor of another dialect', () => {
  const tools = [
    { type: 'function', name: 'get_weather', description: 'd', parameters: schema, strict: true },
    patchTool,
    {
      type: 'namespace',
      name: 'mcp__cache',
      description: 'the cache',
      tools: [{ type: 'function', name: 'service_chat', parameters: schema }],
    },
  ]
  const chat = decode({
    input: 'hi',
    tools,
    tool_choice: { type: 'function', name: 'service_chat', namespace: 'mcp__cache' },
  })
  assert.equal(
    chat.tools.map(({ name, kind, namespace }) => [name, kind, namespace]),
    [
      ['get_weather', undefined, undefined],
      ['apply_patch', 'custom', undefined],
      ['mcp__cache__service_chat', undefined, 'mcp__cache'],
    ],
  )
  assert.equal(chat.tools[1]?.grammar, grammar)
  const there = messages.encodePrompt(chat, { model: 'claude-x', stream: false })
  const functions = there.tools as JsonObject[]
  assert.equal(
    functions.map(({ name }) => name),
    ['get_weather', 'apply_patch', 'mcp__cache__service_chat'],
  )
  assert.equal((functions[1]?.input_schema as JsonObject | undefined)?.required, ['input'])
  assert.match(String(functions[1]?.description), grammar.definition)
  assert.equal(there.tool_choice, { type: 'tool', name: 'mcp__cache__service_chat' })
  const custom = (chatCompletions.encodePrompt(chat, target).tools as JsonObject[])[1]
  assert.equal(custom, {
    type: 'custom',
    custom: { name: 'apply_patch', description: 'Edits.', format: { type: 'grammar', grammar } },
  })
})

test('tools declared among the items are tools', () => {
  const { tools, turns } = decode({
    input: [{ type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'f' }] }, asked],
  })
  assert.equal(tools, [{ name: 'f' }])
  assert.is(turns.length, 1)
})

test('tool choices translate in all their forms', () => {
  const tools = [
    { type: 'function', name: 'f' },
    { type: 'custom', name: 'g' },
  ]
  const choice = (tool_choice: unknown) => decode({ input: 'hi', tools, tool_choice }).toolChoice
  assert.equal(choice('auto'), { mode: 'auto' })
  assert.equal(choice('none'), { mode: 'none' })
  assert.equal(choice('required'), { mode: 'any' })
  assert.equal(choice({ type: 'custom', name: 'g' }), { mode: 'named', names: ['g'] })
  assert.equal(choice({ type: 'allowed_tools', mode: 'required', tools }), { mode: 'named', names: ['f', 'g'] })
  assert.is(choice(null), undefined)
  assert.is(refusal(() => choice('sometimes')).param, 'tool_choice')
  assert.equal(decode({ input: 'hi', parallel_tool_calls: false }).toolChoice, { mode: 'auto', parallel: false })
  for (const tool_choice of [
    'auto',
    'none',
    'required',
    { type: 'function', name: 'f' },
    { type: 'custom', name: 'g' },
  ])
    assert.equal(responses.encodePrompt(decode({ input: 'hi', tools, tool_choice }), target).tool_choice, tool_choice)
})

test('D42: what only a vendor of the dialect can do is named by its field', () => {
  const only = (body: JsonObject) => decode({ input: 'hi', ...body }).vendorOnly
  assert.is(only({}), undefined)
  const { tools } = decode({ input: 'hi', tools: [{ type: 'function', name: 'f' }, { type: 'web_search' }] })
  assert.is(tools[1]?.hosted?.field, 'tools[1]')
  assert.equal(only({ background: true, prompt: { id: 'p' } }), ['background', 'prompt'])
  assert.equal(only({ input: [asked, { type: 'compaction', encrypted_content: 'x' }] }), ['input[1]'])
  assert.equal(only({ input: [{ type: 'file_search_call', id: 'fs_1' }] }), ['input[0]'])
  // What it found is in the words beside it.
  assert.is(only({ input: [asked, { type: 'web_search_call', id: 'ws_1' }] }), undefined)
  assert.is(
    refusal(() => decode({ input: [{ role: 'user', content: [{ type: 'video' }] }] })).param,
    'input[0].content[0].type',
  )
})

test('D42: what this dialect cannot say is refused by its field, and defaults are no request', () => {
  const say = (more: JsonObject) => toResponses({ messages: [asked], ...more })
  assert.is(refusal(() => say({ stop: ['END'] })).param, 'stop')
  const chat = chatCompletions.decodePrompt({ messages: [asked] })
  assert.is(refusal(() => responses.encodePrompt({ ...chat, wanted: { choices: 2 } }, target)).param, 'n')
  assert.is(refusal(() => responses.encodePrompt({ ...chat, wanted: { audio: {} } }, target)).param, 'audio')
  assert.ok(say({ stop: [], seed: 3, presence_penalty: 1 }).input)
  const probable = responses.encodePrompt({ ...chat, wanted: { logprobs: { top: 2 } } }, target)
  assert.equal([probable.include, probable.top_logprobs], [['message.output_text.logprobs'], 2])
  assert.equal(decode({ input: 'hi', include: probable.include, top_logprobs: 2 }).wanted, { logprobs: { top: 2 } })
})

test('settings translate: cap, sampling, effort, schema; a person is not named', () => {
  const body = toResponses({
    messages: [asked],
    max_tokens: 4,
    temperature: 0.5,
    top_p: 0.9,
    reasoning_effort: 'high',
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
    user: 'someone@example.org',
    tools: [{ type: 'function', function: { name: 'f' } }],
  })
  assert.is(body.max_output_tokens, 16, 'the least that the vendor takes')
  assert.equal([body.temperature, body.top_p, body.store], [0.5, 0.9, false])
  assert.equal(body.reasoning, { effort: 'high' })
  assert.equal(body.include, ['reasoning.encrypted_content'])
  assert.equal(body.text, { format: { type: 'json_schema', name: 'a', schema, strict: false } })
  assert.equal(body.tools, [{ type: 'function', name: 'f', parameters: null, strict: false }])
  assert.not.match(JSON.stringify(body), 'someone')
  const closed = { ...schema, required: ['city'], additionalProperties: false }
  const there = toChat({
    input: 'hi',
    max_output_tokens: 99,
    reasoning: { effort: 'low' },
    text: { format: { type: 'json_schema', name: 'a', schema: closed, strict: true } },
  })
  assert.equal([there.max_completion_tokens, there.reasoning_effort], [99, 'low'])
  assert.equal(there.response_format, { type: 'json_schema', json_schema: { name: 'a', schema: closed, strict: true } })
  assert.equal(toChat({ input: 'hi', text: { format: { type: 'json_object' } } }).response_format, {
    type: 'json_object',
  })
  assert.is(
    toChat({ input: 'hi', reasoning: { effort: 'none' }, text: { format: { type: 'text' } } }).response_format,
    undefined,
  )
})

// --- answers

const usage = { input: 100, output: 30, cacheRead: 40, cacheWrite: 10, reasoning: 12 }
const wireUsage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 40, cache_write_tokens: 10 },
  output_tokens: 30,
  output_tokens_details: { reasoning_tokens: 12 },
  total_tokens: 130,
}
const answer: Completion = {
  id: 'up',
  model: 'm',
  created: 0,
  blocks: [
    { type: 'reasoning', text: 'Two cities: 東京 und Zürich 👩‍👩‍👧.', signature: 'sealed', origin: 'responses' },
    {
      type: 'text',
      text: 'Checking 東京 👩‍👩‍👧 é — één moment… '.repeat(4),
      citations: [{ url: 'https://example.org', title: 'Here', start: 0, end: 8 }],
    },
    { type: 'tool_call', id: 'call_a1', name: 'get_weather', args: '{"city":"Köln 🏙️"}' },
    { type: 'tool_call', id: 'call_b2', name: 'apply_patch', args: '*** Begin\n"x" {', kind: 'custom' },
    { type: 'tool_call', id: 'call_c3', name: 'mcp__cache__look', args: '{"deep":[1]}', namespace: 'mcp__cache' },
  ],
  stop: { reason: 'tool_use' },
  usage,
}

const client = promptIn(responses, { model: 'm', input: 'hi', stream: true })
const roundTrip = (completion: Completion): Completion =>
  responses.decodeAnswer(JSON.parse(JSON.stringify(responses.encodeAnswer(completion, reply, client))))

test('a whole answer says all that was said, and is read the same again', () => {
  const body = responses.encodeAnswer(answer, reply, client)
  assert.is(body.id, 'resp_r1')
  assert.is(body.status, 'completed')
  assert.equal(body.usage, wireUsage)
  assert.equal(
    (body.output as JsonObject[]).map(({ type }) => type),
    ['reasoning', 'message', 'function_call', 'custom_tool_call', 'function_call'],
  )
  const again = roundTrip(answer)
  assert.equal(again.blocks, answer.blocks)
  assert.equal([again.stop, again.usage], [answer.stop, usage])
  assert.is(again.unmodelled, undefined)
})

test('a response repeats what it answers', () => {
  const tools = [{ type: 'function', name: 'f', parameters: schema, strict: false }]
  const prompt = promptIn(responses, {
    model: 'm',
    input: 'hi',
    instructions: 'Be brief.',
    tools,
    temperature: 0.5,
    metadata: { a: 'b' },
    text: { format: { type: 'json_object' } },
  })
  const body = responses.encodeAnswer(answer, reply, prompt)
  assert.equal([body.instructions, body.tools, body.temperature, body.metadata], ['Be brief.', tools, 0.5, { a: 'b' }])
  assert.equal(body.text, { format: { type: 'json_object' } })
  assert.equal([body.tool_choice, body.parallel_tool_calls, body.top_p, body.error], ['auto', true, null, null])
  assert.is(body.store, false, 'nobody keeps it')
})

test('why an answer ended translates both ways', () => {
  const ended = (reason: Completion['stop']['reason'], blocks: Completion['blocks'] = [{ type: 'text', text: 'a' }]) =>
    responses.encodeAnswer({ ...answer, blocks, stop: { reason } }, reply, client)
  assert.equal(ended('length').incomplete_details, { reason: 'max_output_tokens' })
  assert.equal(ended('filtered').incomplete_details, { reason: 'content_filter' })
  assert.equal(ended('paused').incomplete_details, { reason: 'max_output_tokens' }, 'clients go on after it')
  assert.is(ended('paused').status, 'incomplete')
  assert.is(ended('stop').status, 'completed')
  assert.is(ended('refusal').status, 'incomplete', 'a refusal without words')
  const refused = ended('refusal', [{ type: 'refusal', text: 'No.' }])
  assert.is(refused.status, 'completed')
  assert.is(responses.decodeAnswer(refused).stop.reason, 'refusal')
  assert.is(responses.decodeAnswer(ended('length')).stop.reason, 'length')
  const [last] = ended('length').output as JsonObject[]
  assert.is(last?.status, 'incomplete')
  const failed = {
    id: 'r',
    object: 'response',
    status: 'failed',
    error: { code: 'server_error', message: 'no' },
    output: [],
  }
  assert.throws(() => responses.decodeAnswer(failed), /server_error: no/)
  assert.is(responses.decodeAnswer({ ...failed, error: null, status: 'queued' }).stop.reason, 'unknown')
})

test('what the canonical shape cannot hold is named, by the same words as in a stream', async () => {
  const message = (content: readonly object[], more: object = {}) => ({
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content,
    ...more,
  })
  const text = { type: 'output_text', text: 'a', annotations: [] }
  for (const [output, lost] of [
    [[message([text])], undefined],
    [[message([text], { phase: 'final_answer' })], ['phase']],
    [[message([{ ...text, annotations: [{ type: 'file_citation', file_id: 'f' }] }])], ['annotations']],
    [[message([text]), message([text])], ['several texts in a row']],
    [[message([text, { type: 'output_hologram' }])], ['a part of the content']],
  ] as const) {
    const body = { id: 'r', object: 'response', status: 'completed', model: 'm', output }
    assert.equal(responses.decodeAnswer(body).unmodelled, lost)
    const stream = `data: ${JSON.stringify({ type: 'response.completed', response: body })}\n\n`
    const streamed = assembled(await decoded(responses, chunks(stream)))
    assert.equal(streamed.unmodelled, lost)
    assert.equal(streamed.blocks, responses.decodeAnswer(body).blocks)
  }
})

test("D37: another vendor's proof comes back through a client of this dialect, and goes to no vendor of it", () => {
  const signed: Completion = {
    ...answer,
    blocks: [
      { type: 'reasoning', text: 'Hm.', signature: 'c2ln', origin: 'messages' },
      { type: 'reasoning', text: '', signature: 'c2ln', origin: 'messages' },
      { type: 'reasoning', text: '', redacted: 'eHh4', origin: 'messages' },
      { type: 'text', text: 'Yes.' },
    ],
    stop: { reason: 'stop' },
  }
  const output = responses.encodeAnswer(signed, reply, client).output as JsonObject[]
  const [turn] = decode({ input: [...output] }).turns
  assert.equal(turn?.blocks.slice(0, 3), signed.blocks.slice(0, 3))
  const input = [asked, ...output, { role: 'user', content: 'And?' }]
  assert.match(JSON.stringify(toMessages({ input, reasoning: { effort: 'high' }, max_output_tokens: 9999 })), 'c2ln')
  assert.equal(responses.foreign?.({ input }), {
    parts: [
      ['input', 1],
      ['input', 2],
      ['input', 3],
    ],
  })
  assert.not.match(JSON.stringify(responses.encodePrompt(decode({ input }), target)), 'encrypted_content')
  // Reasoning without any proof, which only we could have shown, is looked for in vain.
  const bare = responses.encodeAnswer({ ...signed, blocks: [{ type: 'reasoning', text: 'Hm.' }] }, reply, client)
  assert.equal(responses.foreign?.({ input: bare.output }), { parts: [['input', 0]] })
  assert.is(responses.foreign?.({ input: history }), undefined)
})

test('R12: a free-form call is free-form in each dialect that knows such tools', async () => {
  const input = '*** "Begin"\n'
  const calls: Completion = {
    ...answer,
    blocks: [{ type: 'tool_call', id: 'call_a', name: 'apply_patch', args: input, kind: 'custom' }],
  }
  const [whole] = responses.encodeAnswer(calls, reply, client).output as JsonObject[]
  assert.equal([whole?.type, whole?.input, whole?.call_id], ['custom_tool_call', input, 'call_a'])
  const text = encoded(responses, replay(calls), client)
  const done = checkResponsesGrammar(text).find(({ type }) => type === 'response.custom_tool_call_input.done')
  assert.is(done?.input, input)
  const chatClient = promptIn(chatCompletions, { model: 'm', messages: [asked], stream: true })
  const through = encoded(chatCompletions, await decoded(responses, chunks(text)), chatClient)
  assert.equal(assembled(await decoded(chatCompletions, chunks(through))).blocks, calls.blocks)
  const sent = decode({
    input: [
      asked,
      { type: 'custom_tool_call', call_id: 'c', name: 'apply_patch', input: 'free' },
      { type: 'custom_tool_call_output', call_id: 'c', output: 'done' },
    ],
    tools: [patchTool],
  })
  assert.equal(responses.encodePrompt(sent, target).tools, [patchTool])
  assert.equal((responses.encodePrompt(sent, target).input as JsonObject[]).slice(1), [
    { type: 'custom_tool_call', call_id: 'c', name: 'apply_patch', input: 'free' },
    { type: 'custom_tool_call_output', call_id: 'c', output: 'done' },
  ])
  const [, turn] = messages.encodePrompt(sent, { model: 'claude-x', stream: false }).messages as {
    content: JsonObject[]
  }[]
  assert.equal(turn?.content[0]?.input, { input: 'free' })
})

test('a tool of a namespace is called by its own name', () => {
  const tools = [
    { type: 'namespace', name: 'mcp__cache', description: '', tools: [{ type: 'function', name: 'look' }] },
  ]
  const prompt = promptIn(responses, { model: 'm', input: 'hi', tools, stream: true })
  const calls: Completion = {
    ...answer,
    blocks: [{ type: 'tool_call', id: 'call_a', name: 'mcp__cache__look', args: '{}' }],
  }
  const [whole] = responses.encodeAnswer(calls, reply, prompt).output as JsonObject[]
  assert.equal([whole?.name, whole?.namespace], ['look', 'mcp__cache'])
  checkResponsesGrammar(encoded(responses, replay(calls), prompt))
  const [turn] = decode({ input: [{ ...whole }], tools }).turns
  assert.is(turn?.blocks[0]?.type === 'tool_call' ? turn.blocks[0].name : '', 'mcp__cache__look')
})

// --- streams

test('a stream climbs the ladder of the dialect', () => {
  const events = checkResponsesGrammar(encoded(responses, replay(answer), client))
  assert.is(
    responsesLadder(events).join(' · '),
    'created · in_progress · ' +
      'output_item.added reasoning · reasoning_summary_part.added · reasoning_summary_text.delta · ' +
      'reasoning_summary_text.done · reasoning_summary_part.done · output_item.done reasoning · ' +
      'output_item.added message · content_part.added · output_text.delta · output_text.annotation.added · ' +
      'output_text.done · content_part.done · output_item.done message · ' +
      'output_item.added function_call · function_call_arguments.delta · function_call_arguments.done · ' +
      'output_item.done function_call · ' +
      'output_item.added custom_tool_call · custom_tool_call_input.delta · custom_tool_call_input.done · ' +
      'output_item.done custom_tool_call · ' +
      'output_item.added function_call · function_call_arguments.delta · function_call_arguments.done · ' +
      'output_item.done function_call · completed',
  )
})

test('a refusal, an empty answer and one that was cut off keep the grammar', () => {
  for (const [blocks, reason, last] of [
    [[], 'stop', 'response.completed'],
    [[{ type: 'refusal', text: 'No.' }], 'refusal', 'response.completed'],
    [
      [
        { type: 'text', text: 'a' },
        { type: 'refusal', text: 'No.' },
      ],
      'refusal',
      'response.completed',
    ],
    [[{ type: 'text', text: 'half a' }], 'length', 'response.incomplete'],
    [[{ type: 'tool_call', id: 'a', name: 'f', args: '' }], 'tool_use', 'response.completed'],
    [[{ type: 'tool_call', id: 'a', name: 'f', args: '{"half' }], 'length', 'response.incomplete'],
  ] as const) {
    const events = checkResponsesGrammar(encoded(responses, replay({ ...answer, blocks, stop: { reason } }), client))
    assert.is(events.at(-1)?.type, last)
  }
})

test('calls that a chat vendor interleaves come one after the other', async () => {
  const chunk = (delta: JsonObject, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  const call = (index: number, fields: JsonObject, args: string) =>
    chunk({ tool_calls: [{ index, ...fields, function: { ...(fields.id ? { name: 'f' } : {}), arguments: args } }] })
  const stream =
    call(0, { id: 'a', type: 'function' }, '') +
    call(1, { id: 'b', type: 'function' }, '') +
    call(1, {}, '{"n":') +
    call(0, {}, '{"n":1') +
    call(1, {}, '2}') +
    call(0, {}, '}') +
    chunk({}, 'tool_calls') +
    'data: [DONE]\n\n'
  const text = encoded(responses, await decoded(chatCompletions, chunks(stream)), client)
  checkResponsesGrammar(text)
  assert.equal(assembled(await decoded(responses, chunks(text))).blocks, [
    { type: 'tool_call', id: 'a', name: 'f', args: '{"n":1}' },
    { type: 'tool_call', id: 'b', name: 'f', args: '{"n":2}' },
  ])
})

test('a whole answer and its stream say the same', async () => {
  const text = encoded(responses, replay(answer), client)
  const streamed = assembled(await decoded(responses, chunks(text)))
  const whole = roundTrip(answer)
  assert.equal(streamed.blocks, whole.blocks)
  assert.equal([streamed.stop, streamed.usage], [whole.stop, whole.usage])
  const { response } = checkResponsesGrammar(text).at(-1) ?? {}
  assert.equal(response, JSON.parse(JSON.stringify(responses.encodeAnswer(answer, reply, client))))
})

test('a stream passes this dialect and another, in either order, and stays the same', async () => {
  const { blocks } = answer
  const plain: Completion = {
    ...answer,
    blocks: [
      { type: 'reasoning', text: 'Two cities: 東京.' },
      { type: 'text', text: 'Checking 東京 👩‍👩‍👧 é — één moment… '.repeat(4) },
      ...blocks.slice(2, 3),
    ],
  }
  for (const other of [chatCompletions, messages]) {
    const prompt = promptIn(other, {
      model: 'm',
      max_tokens: 9,
      messages: [asked],
      stream_options: { include_usage: true },
    })
    const first = await decoded(responses, chunks(encoded(responses, replay(plain), client)))
    const through = await decoded(other, chunks(encoded(other, first, prompt)))
    const back = encoded(responses, through, client)
    checkResponsesGrammar(back)
    const end = assembled(await decoded(responses, chunks(back)))
    assert.equal(end.blocks, plain.blocks, other.name)
    assert.equal([end.stop, end.usage], [plain.stop, usage])
  }
})

test('a host that tells only what closes is read as well', async () => {
  const text = encoded(responses, replay(answer), client)
  const wanted = assembled(await decoded(responses, chunks(text)))
  const frames = text.split(/(?<=\n\n)/)
  const without = (pattern: RegExp) => frames.filter(frame => !pattern.test(frame)).join('')
  for (const pattern of [
    /^event: \S+\.delta\n/,
    /^event: \S+\.(delta|added|in_progress)\n/,
    /^event: response\.(?!created|completed|output_item\.done)/,
    /^event: response\.(?!completed)/,
  ])
    assert.equal(assembled(await decoded(responses, chunks(without(pattern)))).blocks, wanted.blocks, String(pattern))
})

test('the same wherever the network cuts the bytes, and however the host writes its lines', async () => {
  const text = encoded(responses, replay(answer), client)
  const wanted = assembled(await decoded(responses, chunks(text)))
  const spellings = [
    text,
    text.replaceAll('\n', '\r\n'),
    text.replaceAll('\n', '\r'),
    text.replaceAll('data: ', 'data:'),
    `\uFEFF${text}`,
    text.replaceAll('\n\n', '\n\n: still here\n\n'),
    text.replace(/^event: .*\n/gm, ''),
  ]
  for (const spelling of spellings) {
    const bytes = Buffer.from(spelling)
    const cut = async function* (at: number) {
      yield bytes.subarray(0, at)
      yield bytes.subarray(at)
    }
    for (let at = 0; at < bytes.length; at += 61) assert.equal(assembled(await decoded(responses, cut(at))), wanted)
    assert.equal(assembled(await decoded(responses, chunks(spelling, 1))), wanted)
  }
  const bytes = Buffer.from(text)
  for (let at = 1; at < bytes.length; at += 3) {
    const cut = async function* () {
      yield bytes.subarray(0, at)
      yield bytes.subarray(at)
    }
    assert.equal(assembled(await decoded(responses, cut())), wanted)
  }
})

test('a stream that stops before its terminal event is broken', async () => {
  const frames = encoded(responses, replay(answer), client).split(/(?<=\n\n)/)
  for (let count = 0; count < frames.length - 1; count++) {
    const broken = await decoded(responses, chunks(frames.slice(0, count).join(''))).then(
      () => false,
      () => true,
    )
    assert.ok(broken, `after ${count} frames`)
  }
})

test("a vendor's failure in mid-stream is a failure, by its own word", async () => {
  const created = 'data: {"type":"response.created","response":{"id":"r","model":"m","output":[]}}\n\n'
  for (const [frame, message] of [
    ['{"type":"error","code":"rate_limit_exceeded","message":"slow down"}', /rate_limit_exceeded: slow down/],
    ['{"type":"error","error":{"type":"server_error","message":"oh"}}', /server_error: oh/],
    [
      '{"type":"response.failed","response":{"status":"failed","error":{"code":"context_length_exceeded","message":"long"}}}',
      /context_length_exceeded: long/,
    ],
  ] as const) {
    const failure = await decoded(responses, chunks(`${created}data: ${frame}\n\n`)).catch(error => error)
    assert.match(String(failure), message)
  }
})

test('a stream of ours that breaks ends with response.failed, numbered on', () => {
  const first = encoded(responses, [{ type: 'start', id: 'u', model: 'm', created: 1 }], client)
  const error = new GatewayError('upstream_failed', 'it broke')
  const text = responses.encodeStreamError(error, 'r1', { first, last: first })
  const events = text
    .split('\n\n')
    .slice(0, -1)
    .map(frame => JSON.parse(frame.split('\ndata: ')[1] ?? ''))
  assert.equal(
    events.map(({ type, sequence_number }) => [type, sequence_number]),
    [
      ['error', 2],
      ['response.failed', 3],
    ],
  )
  assert.is(events[0].error.message, 'it broke', 'where an SDK looks for it')
  assert.is(events[1].response.id, 'resp_r1')
  assert.equal(events[1].response.error, { code: 'server_error', message: 'it broke' })
  const limited = responses.encodeStreamError(new GatewayError('rate_limited', 'try again in 1.5s'), 'r1')
  assert.match(limited, '"code":"rate_limit_exceeded"')
  assert.match(limited, '"sequence_number":0')
})

test('D33: an answer that its vendor holds keeps its id, any other has a new one', () => {
  const held = { ...reply, vendorId: 'resp_vendor' }
  assert.is(responses.encodeAnswer(answer, held, client).id, 'resp_vendor')
  assert.is(checkResponsesGrammar(encoded(responses, replay(answer), client))[0]?.response?.id, 'resp_r1')
  const bytes = Buffer.from('{"object":"response","id":"resp_old","created_at":1,"x_new":[1]}')
  assert.is(
    Buffer.from(responses.reissue(bytes, reply)).toString(),
    '{"object":"response","id":"resp_r1","created_at":1790000000,"x_new":[1]}',
  )
})

test.run()
