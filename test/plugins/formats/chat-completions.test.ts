import {
  type Chat,
  CODES,
  type Completion,
  type GatewayCode,
  GatewayError,
  isGatewayError,
  NO_CALL,
  type Stop,
} from 'deflector'
import { chatCompletions as format } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import { pseudonym } from 'deflector/formats/pseudonym'
import { wrap } from 'deflector/formats/signature'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const reply = { id: 'r1', created: 1_790_000_000, layer: 'l3' }
const target = { model: 'm', stream: false }

function refusal(run: () => unknown): { code: string; param: string | undefined; message: string } {
  try {
    run()
  } catch (error) {
    if (isGatewayError(error)) return { code: error.code, param: error.param, message: error.message }
    throw error
  }
  throw new Error('nothing thrown')
}

const user = { role: 'user', content: 'Hi' }
const decoded = (body: Record<string, unknown>): Chat => format.decodePrompt({ messages: [user], ...body })
const encoded = (chat: Partial<Chat>, to = target): Record<string, unknown> =>
  format.encodePrompt({ system: [], turns: [], tools: [], sampling: {}, ...chat }, to)
const again = (messages: unknown[]): unknown => format.encodePrompt(format.decodePrompt({ messages }), target).messages

// the head

test('reads model, stream and session, and keeps the body as it is', () => {
  const body = { messages: [user], model: 'gpt', stream: true, unknown: { x: 1 }, metadata: { session_id: 's' } }
  const head = format.readHead(body, NO_CALL)
  assert.equal(head, { body, model: 'gpt', stream: true, session: 's' })
  assert.is(head.body, body)
  assert.equal(format.readHead({ messages: [user], model: null, stream: null }, NO_CALL).stream, false)
})

test('a session id in the body is found at the top first', () => {
  const session = (fields: object) => format.readHead({ messages: [user], ...fields }, NO_CALL).session
  assert.is(session({ session_id: null, thread_id: 't', metadata: { session_id: 'm' } }), 't')
  assert.is(session({ metadata: { user_id: 'u' } }), undefined)
})

test('refuses what is missing or of the wrong kind, naming the field', () => {
  for (const [body, param] of [
    [{}, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: 'hi' }, 'messages'],
    [{ messages: ['hi'] }, 'messages[0]'],
    [{ messages: [user, {}] }, 'messages[1].role'],
    [{ messages: [user], model: 5 }, 'model'],
    [{ messages: [user], stream: 'true' }, 'stream'],
    [[], undefined],
    [null, undefined],
  ] as const) {
    const { code, param: named } = refusal(() => format.readHead(body, NO_CALL))
    assert.is(code, 'bad_request')
    assert.is(named, param)
  }
})

// prompts

const history = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Weather in Oslo and Rome?' },
  {
    role: 'assistant',
    content: 'Checking.',
    tool_calls: [
      { id: 'call_a1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
      { id: 'call_b2', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'call_a1', content: '2 C' },
  { role: 'tool', tool_call_id: 'call_b2', content: '19 C' },
]

test('a history with two calls goes to the canonical shape and back unchanged', () => {
  const chat = format.decodePrompt({ messages: history })
  assert.equal(chat.system, ['Be brief.'])
  assert.equal(
    chat.turns.map(({ role, blocks }) => [role, ...blocks.map(({ type }) => type)]),
    [
      ['user', 'text'],
      ['assistant', 'text', 'tool_call', 'tool_call'],
      ['user', 'tool_result', 'tool_result'],
    ],
  )
  assert.equal(format.encodePrompt(chat, target).messages, history)
})

test('one text is the same as a string and as a part', () => {
  assert.equal(
    format.decodePrompt({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] }),
    format.decodePrompt({ messages: [user] }),
  )
})

test('instructions at the head are gathered, later ones keep their place', () => {
  const messages = [
    { role: 'developer', content: 'A' },
    { role: 'system', content: [{ type: 'text', text: 'B' }] },
    user,
    { role: 'system', content: 'C' },
    { role: 'user', content: 'Go on' },
  ]
  const chat = format.decodePrompt({ messages })
  assert.equal(chat.system, ['A', 'B'])
  assert.equal(
    chat.turns.map(({ role }) => role),
    ['user', 'system', 'user'],
  )
  assert.equal(again(messages), [{ role: 'system', content: 'A\n\nB' }, ...messages.slice(2)])
})

test('all parts of a user message survive', () => {
  const content = [
    { type: 'text', text: 'See' },
    { type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'low' } },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    { type: 'input_audio', input_audio: { data: 'BBBB', format: 'mp3' } },
    { type: 'input_audio', input_audio: { data: 'CCCC', format: 'wav' } },
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,DDDD' } },
    { type: 'file', file: { file_id: 'file-1' } },
  ]
  assert.equal(again([{ role: 'user', content }]), [{ role: 'user', content }])
})

test('a data URL without base64 is percent-encoded text', () => {
  const [turn] = decoded({
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: 'data:image/svg+xml,%3Csvg%2F%3E' }] }],
  }).turns
  const source = { data: Buffer.from('<svg/>').toString('base64'), mediaType: 'image/svg+xml' }
  assert.equal(turn?.blocks, [{ type: 'image', source }])
})

test('an unknown part is refused by its path', () => {
  const at = refusal(() => decoded({ messages: [user, { role: 'user', content: [{ type: 'video_url' }] }] }))
  assert.is(at.param, 'messages[1].content[0].type')
  assert.match(at.message, 'video_url')
})

test('blocks of the messages format inside a body are understood', () => {
  const messages = [
    user,
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't1', content: 'done' },
        { type: 'text', text: 'And?' },
      ],
    },
  ]
  assert.equal(again(messages), [
    user,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 't1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
    },
    { role: 'tool', tool_call_id: 't1', content: 'done' },
    { role: 'user', content: 'And?' },
  ])
})

test('the old single calls become calls with ids', () => {
  const messages = [
    user,
    { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
    { role: 'function', name: 'f', content: '1' },
    { role: 'assistant', content: null, function_call: { name: 'f', arguments: '' } },
    { role: 'function', name: 'f', content: '2' },
  ]
  const out = again(messages)
  assert.equal(
    Array.isArray(out) && out.flatMap(({ tool_call_id, tool_calls }) => tool_call_id ?? tool_calls?.[0].id ?? []),
    ['call_0', 'call_0', 'call_1', 'call_1'],
  )
})

const callTurn = (...ids: string[]): Chat['turns'][number] => ({
  role: 'assistant',
  blocks: ids.map(id => ({ type: 'tool_call', id, name: 'f', args: '' })),
})
const resultTurn = (...ids: string[]): Chat['turns'][number] => ({
  role: 'user',
  blocks: ids.map(id => ({ type: 'tool_result', id, blocks: [{ type: 'text', text: id }], isError: false })),
})
const text = (said: string): Chat['turns'][number] => ({ role: 'user', blocks: [{ type: 'text', text: said }] })
const shape = (turns: Chat['turns']): unknown[] => {
  const { messages } = encoded({ turns })
  return Array.isArray(messages) ? messages.map(({ role, tool_call_id: id, content }) => [role, id ?? content]) : []
}

test('each result stands right after its call, and what belongs to no call is left out', () => {
  assert.equal(shape([text('q'), callTurn('a', 'b'), text('wait'), resultTurn('b', 'zzz', 'a'), text('so?')]), [
    ['user', 'q'],
    ['assistant', null],
    ['tool', 'a'],
    ['tool', 'b'],
    ['user', 'wait'],
    ['user', 'so?'],
  ])
})

test('a call without a result gets one only when the history goes on', () => {
  assert.equal(shape([text('q'), callTurn('a')]), [
    ['user', 'q'],
    ['assistant', null],
  ])
  const { messages } = encoded({ turns: [text('q'), callTurn('a', 'b'), resultTurn('b'), text('so?')] })
  assert.equal(Array.isArray(messages) && messages[2], {
    role: 'tool',
    tool_call_id: 'a',
    content: 'no result recorded',
  })
})

test('ids that come again in a later turn keep their own results', () => {
  const result = (said: string): Chat['turns'][number] => ({
    role: 'user',
    blocks: [{ type: 'tool_result', id: 'a', blocks: [{ type: 'text', text: said }], isError: false }],
  })
  const { messages } = encoded({ turns: [text('q'), callTurn('a'), result('1'), callTurn('a'), result('2')] })
  const results = Array.isArray(messages) ? messages.flatMap(each => (each.role === 'tool' ? [each.content] : [])) : []
  assert.equal(results, ['1', '2'])
})

test('an image in a result follows in a user message, together with what the user says', () => {
  const turns: Chat['turns'] = [
    text('q'),
    callTurn('a', 'b'),
    {
      role: 'user',
      blocks: [
        {
          type: 'tool_result',
          id: 'a',
          blocks: [{ type: 'image', source: { data: 'AAAA', mediaType: 'image/png' } }],
          isError: false,
        },
        { type: 'tool_result', id: 'b', blocks: [{ type: 'text', text: 'no file' }], isError: true },
        { type: 'text', text: 'Look' },
      ],
    },
  ]
  const { messages } = encoded({ turns })
  assert.equal(Array.isArray(messages) && messages.slice(2), [
    { role: 'tool', tool_call_id: 'a', content: '(the result is attached to the next message)' },
    { role: 'tool', tool_call_id: 'b', content: 'Error: no file' },
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        { type: 'text', text: 'Look' },
      ],
    },
  ])
})

test('reasoning is echoed inside a tool loop only, and never when another vendor signed it', () => {
  const said = (signature?: string): Chat['turns'][number] => ({
    role: 'assistant',
    blocks: [
      { type: 'reasoning', text: 'hm', ...(signature !== undefined && { signature }) },
      { type: 'tool_call', id: 'a', name: 'f', args: '{}' },
    ],
  })
  const first = (turn: Chat['turns'][number]): unknown => {
    const { messages } = encoded({ turns: [turn] })
    return Array.isArray(messages) ? messages[0]?.reasoning_content : undefined
  }
  assert.is(first(said()), 'hm')
  assert.is(first(said('sig')), undefined)
  assert.equal(shape([{ role: 'assistant', blocks: [{ type: 'reasoning', text: 'hm' }] }, text('q')]), [['user', 'q']])
})

test("a signature that this format carried is known again, another host's own is not", () => {
  const blocks = (detail: object) =>
    decoded({
      messages: [user, { role: 'assistant', content: 'a', reasoning_content: 'hm', reasoning_details: [detail] }],
    }).turns[1]?.blocks[0]
  const signed = (signature: string, origin: string) => ({ type: 'reasoning', text: 'hm', signature, origin })
  const detail = { type: 'reasoning.text', text: 'hm' }
  assert.equal(blocks({ ...detail, signature: 's' }), signed('s', 'chat-completions'))
  assert.equal(blocks({ ...detail, signature: 's', format: 'anthropic-claude-v1' }), signed('s', 'messages'))
  assert.equal(blocks({ ...detail, signature: wrap('generate-content', 's') }), signed('s', 'generate-content'))
  assert.equal(blocks({ type: 'reasoning.encrypted', data: 'x', format: 'openai-responses-v1' }), {
    type: 'reasoning',
    text: 'hm',
  })
})

test('tools are read in every dialect that clients send', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const tools = [
    { type: 'function', function: { name: 'f', description: 'd', parameters: schema, strict: true } },
    { type: 'function', name: 'flat', parameters: schema },
    { name: 'anthropic', input_schema: schema },
  ]
  assert.equal(
    decoded({ tools }).tools.map(({ name, parameters }) => [name, Object.keys(parameters?.properties ?? {})[0]]),
    [
      ['f', 'a'],
      ['flat', 'a'],
      ['anthropic', 'a'],
    ],
  )
  assert.equal(decoded({ functions: [{ name: 'old' }] }).tools, [{ name: 'old' }])
})

test('free-form tools, their calls and their results stay what they are', () => {
  const grammar = { syntax: 'lark', definition: 'start: "a"' }
  const custom = { name: 'free', description: 'd', format: { type: 'grammar', grammar } }
  const call = { id: 'c', type: 'custom', custom: { name: 'free', input: '*** {"no json' } }
  const body = {
    messages: [
      user,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'ok' },
    ],
    tools: [
      { type: 'custom', custom },
      { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
    ],
    tool_choice: { type: 'custom', custom: { name: 'free' } },
  }
  const { tools, turns } = format.decodePrompt(body)
  assert.equal(tools[0], { name: 'free', kind: 'custom', description: 'd', grammar })
  assert.equal(turns[1]?.blocks, [{ type: 'tool_call', id: 'c', name: 'free', kind: 'custom', args: '*** {"no json' }])
  const again = format.encodePrompt(format.decodePrompt(body), { model: 'm', stream: false })
  assert.equal([again.messages, again.tools, again.tool_choice], [body.messages, body.tools, body.tool_choice])
  // Flat, as the responses format has it.
  const flat = { type: 'custom', name: 'free', format: { type: 'grammar', ...grammar } }
  assert.equal(format.decodePrompt({ messages: [user], tools: [flat] }).tools[0]?.grammar, grammar)
  const answer = format.decodeAnswer({ choices: [{ message: { tool_calls: [call] }, finish_reason: 'tool_calls' }] })
  assert.is(answer.unmodelled, undefined)
  assert.equal(format.encodeAnswer(answer, reply).choices, [
    {
      index: 0,
      message: { role: 'assistant', content: null, refusal: null, tool_calls: [call] },
      logprobs: null,
      finish_reason: 'tool_calls',
    },
  ])
})

test('what a body wants of the answer beyond text is read; defaults are no wish', () => {
  const wanted = (fields: object) => format.decodePrompt({ messages: [user], ...fields }).wanted
  assert.is(wanted({ n: 1, logprobs: false, top_logprobs: 0, modalities: ['text'], audio: null }), undefined)
  assert.is(wanted({ n: null, audio: { voice: 'a' } }), undefined)
  assert.equal(wanted({ n: 2 }), { choices: 2 })
  assert.equal(wanted({ logprobs: true, top_logprobs: 3 }), { logprobs: { top: 3 } })
  assert.equal(wanted({ modalities: ['text', 'audio'], audio: { voice: 'a', format: 'wav' } }), {
    audio: { voice: 'a', format: 'wav' },
  })
  assert.throws(
    () => format.decodePrompt({ messages: [user], response_format: { type: 'grammar' } }),
    /response_format\.type/,
  )
})

test('what cannot come back to a client of another format is refused by its field', () => {
  const encode = (chat: object) => encoded(chat)
  assert.is(refusal(() => encode({ wanted: { choices: 2 } })).param, 'n')
  assert.is(refusal(() => encode({ wanted: { audio: {} } })).param, 'audio')
  assert.is(refusal(() => encode({ sampling: { stop: ['a', 'b', 'c', 'd', 'e'] } })).param, 'stop')
  assert.equal(encode({ wanted: { logprobs: { top: 2 } } }).top_logprobs, 2)
})

test('a tool of another vendor is refused by name, and one of this format goes through as it came', () => {
  const hosted = { type: 'web_search_preview', depth: 2 }
  const [tool] = decoded({ tools: [hosted] }).tools
  assert.equal(tool && encoded({ tools: [tool] }).tools, [hosted])
  const foreign = { name: 'computer', hosted: { format: 'messages', value: {} } }
  assert.match(refusal(() => encoded({ tools: [foreign] })).message, 'computer')
})

test('the choice of tools is read in every form', () => {
  const choice = (tool_choice: unknown, rest: object = {}) => decoded({ tool_choice, ...rest }).toolChoice
  assert.equal(choice('required'), { mode: 'any' })
  assert.equal(choice('none'), { mode: 'none' })
  assert.equal(choice(null), undefined)
  assert.equal(choice({ type: 'function', function: { name: 'f' } }), { mode: 'named', names: ['f'] })
  assert.equal(choice({ type: 'custom', custom: { name: 'f' } }), { mode: 'named', names: ['f'] })
  assert.equal(choice({ type: 'tool', name: 'f' }), { mode: 'named', names: ['f'] })
  const tools = [
    { type: 'function', function: { name: 'a' } },
    { type: 'function', function: { name: 'b' } },
  ]
  const allowed = (mode: string) => choice({ type: 'allowed_tools', allowed_tools: { mode, tools } })
  assert.equal(allowed('auto'), { mode: 'auto', names: ['a', 'b'] })
  assert.equal(allowed('required'), { mode: 'named', names: ['a', 'b'] })
  assert.equal(choice(undefined, { function_call: { name: 'f' } }), { mode: 'named', names: ['f'] })
  assert.equal(choice(undefined, { parallel_tool_calls: false }), { mode: 'auto', parallel: false })
  assert.is(refusal(() => choice({ type: 'function' })).param, 'tool_choice')
})

test('writes the choice so that every vendor takes it, and none without tools', () => {
  const tools = ['a', 'b', 'c'].map(name => ({ name }))
  const names = (body: Record<string, unknown>) =>
    Array.isArray(body.tools) ? body.tools.map(tool => tool.function.name) : undefined
  const some = encoded({ tools, toolChoice: { mode: 'named', names: ['a', 'b'], parallel: false } })
  assert.equal([names(some), some.tool_choice, some.parallel_tool_calls], [['a', 'b'], 'required', false])
  const one = encoded({ tools, toolChoice: { mode: 'named', names: ['b'] } })
  assert.equal(names(one), ['a', 'b', 'c'])
  assert.equal(one.tool_choice, { type: 'function', function: { name: 'b' } })
  const none = encoded({ toolChoice: { mode: 'auto', parallel: true } })
  assert.equal(Object.keys(none), ['model', 'messages'])
})

test('settings survive, and null is absent', () => {
  const schema = { type: 'object', additionalProperties: false }
  const body = {
    temperature: 0.5,
    top_p: 0.9,
    seed: 7,
    stop: 'END',
    frequency_penalty: 0.1,
    presence_penalty: 0.2,
    max_tokens: 100,
    reasoning_effort: 'high',
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema, strict: true } },
    user: 'u',
  }
  const { max_tokens, stop, user, ...same } = body
  const { model, messages, ...rest } = format.encodePrompt(decoded(body), target)
  assert.equal(rest, { ...same, stop: [stop], max_completion_tokens: max_tokens, user: pseudonym(user) })
  const nulls = Object.fromEntries(Object.keys(body).map(key => [key, null]))
  assert.equal(decoded({ ...nulls, tools: null, tool_choice: null, functions: null, function_call: null }), decoded({}))
  assert.is(refusal(() => decoded({ max_tokens: '100' })).param, 'max_tokens')
})

test('another vendor gets no id of a person, and one that fits its field', () => {
  const person = JSON.stringify({ device_id: 'd'.repeat(64), account_uuid: '', session_id: 's'.repeat(36) })
  const body = messages.decodePrompt({ messages: [user], metadata: { user_id: person } })
  const written = format.encodePrompt(body, target).user
  assert.is(written, pseudonym(person))
  assert.is(String(written).length, 64)
  const named = decoded({ safety_identifier: 'ann@example.org' })
  assert.is(named.user, 'ann@example.org')
  assert.not.match(JSON.stringify(messages.encodePrompt(named, target)), 'ann')
})

test('a stream asks for its usage', () => {
  const { stream, stream_options } = encoded({}, { model: 'm', stream: true })
  assert.equal({ stream, stream_options }, { stream: true, stream_options: { include_usage: true } })
})

// answers

const usage = {
  prompt_tokens: 100,
  completion_tokens: 30,
  total_tokens: 130,
  prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 10 },
  completion_tokens_details: { reasoning_tokens: 12 },
}
const golden = {
  id: 'chatcmpl-r1',
  object: 'chat.completion',
  created: reply.created,
  model: 'm',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Checking.',
        refusal: null,
        reasoning_content: 'Two cities.',
        tool_calls: history[2]?.tool_calls,
      },
      logprobs: null,
      finish_reason: 'tool_calls',
    },
  ],
  usage,
}

test('the answer with two calls goes to the canonical shape and back unchanged', () => {
  const completion = format.decodeAnswer(golden)
  assert.equal(
    completion.blocks.map(({ type }) => type),
    ['reasoning', 'text', 'tool_call', 'tool_call'],
  )
  assert.equal(completion.usage, { input: 100, output: 30, cacheRead: 40, cacheWrite: 10, reasoning: 12 })
  assert.equal(format.encodeAnswer(completion, reply), golden)
})

const answerWith = (message: object, finish_reason: unknown = 'stop', rest: object = {}): Completion =>
  format.decodeAnswer({ id: 'x', model: 'm', created: 1, choices: [{ index: 0, message, finish_reason }], ...rest })

test('calls that their vendor gave no ids get some that no other answer has', () => {
  const call = { type: 'function', function: { name: 'f', arguments: '{}' } }
  const old = { function_call: { name: 'f', arguments: '{}' } }
  const made = [{ tool_calls: [call, { ...call, id: '' }] }, { tool_calls: [call] }, old, old].flatMap(message =>
    answerWith(message).blocks.flatMap(block => (block.type === 'tool_call' ? [block.id] : [])),
  )
  for (const id of made) assert.match(id, /^call_[0-9a-f]{24}$/)
  assert.is(new Set(made).size, 5)
})

test('what the canonical shape cannot hold is named, by the same words as in a stream', () => {
  const logprobs = { content: [{ token: 'a', logprob: -1 }], refusal: null }
  const choice = (message: object, more: object = {}) => ({ index: 0, message, finish_reason: 'stop', ...more })
  const told = (choices: readonly object[], rest: object = {}) => format.decodeAnswer({ choices, ...rest }).unmodelled
  const signed = { id: 'c', function: { name: 'f', arguments: '{}' }, extra_content: { google: {} } }
  assert.equal(told([choice({ content: 'a' }), choice({ content: 'b' }, { index: 1 })]), ['a second choice'])
  assert.equal(told([choice({ content: 'a' }, { logprobs })]), ['log probabilities'])
  assert.equal(told([choice({ tool_calls: [signed] })]), ['extra content'])
  assert.equal(told([choice({ function_call: { name: 'f', arguments: '{}' } })]), ['a call in the old form'])
  assert.equal(told([choice({ content: null, audio: { id: 'x' } })]), ['audio'])
  assert.equal(told([choice({ content: 'a' })], { citations: ['https://example.org'] }), ['citations'])
  assert.is(told([choice({ content: 'a', audio: null, function_call: null }, { logprobs: null })]), undefined)
  assert.is(told([choice({ content: 'a' }, { logprobs: { content: [] } })], { citations: [] }), undefined)
})

test('every choice is decoded, the first one as the answer', () => {
  const { blocks, stop, others } = format.decodeAnswer({
    choices: [
      { index: 1, message: { content: 'b' }, finish_reason: 'length' },
      { index: 0, message: { content: 'a' }, finish_reason: 'stop' },
    ],
  })
  assert.equal([blocks, stop], [[{ type: 'text', text: 'a' }], { reason: 'stop' }])
  assert.equal(others, [{ blocks: [{ type: 'text', text: 'b' }], stop: { reason: 'length' } }])
})

const written = (completion: Completion): { message: Record<string, unknown>; finish_reason: string } => {
  const { choices } = format.encodeAnswer(completion, reply)
  if (!Array.isArray(choices)) throw new Error('no choices')
  return choices[0]
}

test('finish reasons are told both ways', () => {
  const stops: [Stop['reason'], string][] = [
    ['stop', 'stop'],
    ['stop_sequence', 'stop'],
    ['length', 'length'],
    ['context', 'length'],
    ['filtered', 'content_filter'],
    ['refusal', 'content_filter'],
    ['paused', 'stop'],
    ['unknown', 'stop'],
  ]
  for (const [reason, word] of stops) {
    const completion: Completion = {
      id: '',
      model: '',
      created: 0,
      blocks: [{ type: 'text', text: 'x' }],
      stop: { reason },
    }
    assert.is(written(completion).finish_reason, word, reason)
  }
  const words = {
    stop: 'stop',
    length: 'length',
    content_filter: 'filtered',
    model_length: 'context',
    new_word: 'unknown',
  }
  for (const [word, reason] of Object.entries(words)) assert.is(answerWith({ content: 'x' }, word).stop.reason, reason)
  assert.throws(() => answerWith({ content: 'x' }, 'insufficient_system_resource'), /gave up/)
})

test('calls mean tool_calls whatever the vendor said, unless the answer was cut off', () => {
  const message = { content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '' } }] }
  for (const word of ['stop', 'tool_calls', 'function_call', null, 'eos']) {
    const completion = answerWith(message, word)
    assert.is(completion.stop.reason, 'tool_use')
    assert.is(written({ ...completion, stop: { reason: 'stop' } }).finish_reason, 'tool_calls')
  }
  assert.is(answerWith(message, 'length').stop.reason, 'length')
})

test('empty arguments are {} and content is null only beside calls', () => {
  const message = { content: '', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '' } }] }
  const out = written(answerWith(message)).message
  assert.equal(out.tool_calls, [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }])
  assert.is(out.content, null)
  assert.is(written(answerWith({ content: '' })).message.content, '')
})

test('a refusal ends as stop with its words', () => {
  const completion = answerWith({ content: null, refusal: 'No.' })
  assert.is(completion.stop.reason, 'refusal')
  assert.equal(written(completion), {
    index: 0,
    message: { role: 'assistant', content: null, refusal: 'No.' },
    logprobs: null,
    finish_reason: 'stop',
  })
})

test('reasoning is read from either field, and its signature comes back', () => {
  assert.equal(answerWith({ content: 'x', reasoning: 'hm' }).blocks[0], { type: 'reasoning', text: 'hm' })
  const blocks: Completion['blocks'] = [
    { type: 'reasoning', text: 'hm', signature: 's', origin: 'chat-completions' },
    { type: 'reasoning', text: '', redacted: 'r', origin: 'chat-completions' },
    { type: 'text', text: 'x' },
  ]
  const { message } = written({ id: '', model: '', created: 0, blocks, stop: { reason: 'stop' } })
  assert.equal(answerWith(message).blocks, blocks)
})

test('citations are kept', () => {
  const annotations = [{ type: 'url_citation', url_citation: { url: 'https://example.org', start_index: 0 } }]
  assert.equal(written(answerWith({ content: 'x', annotations })).message.annotations, annotations)
})

test('usage is read with the quirks of the hosts', () => {
  const read = (given: object) => answerWith({ content: 'x' }, 'stop', { usage: given }).usage
  assert.equal(read({ prompt_tokens: 5, completion_tokens: 2, prompt_cache_hit_tokens: 3 }), {
    input: 5,
    output: 2,
    cacheRead: 3,
  })
  const beside = { reasoning_tokens: 7 }
  assert.is(
    read({ prompt_tokens: 5, completion_tokens: 2, total_tokens: 14, completion_tokens_details: beside })?.output,
    9,
  )
  assert.is(
    read({ prompt_tokens: 5, completion_tokens: 9, total_tokens: 14, completion_tokens_details: beside })?.output,
    9,
  )
  assert.is(read({ total_tokens: 3 }), undefined)
})

test("what is no answer is an error, with the vendor's words where there are some", () => {
  assert.throws(() => format.decodeAnswer({ error: { message: 'model is loading' } }), /model is loading/)
  for (const body of [null, 'x', {}, { choices: [] }, { choices: [{}] }]) assert.throws(() => format.decodeAnswer(body))
})

test('a stored answer goes out again with a new id and time only', () => {
  const bytes = Buffer.from('{"id":"old","created":1, "big":12345678901234567890,"choices":[{"id":"inner"}]}')
  const out = Buffer.from(format.reissue(bytes, reply)).toString()
  assert.is(out, '{"id":"chatcmpl-r1","created":1790000000, "big":12345678901234567890,"choices":[{"id":"inner"}]}')
})

// errors

test('every code has a type that the SDKs know', () => {
  for (const code of Object.keys(CODES) as GatewayCode[]) {
    const { error } = format.encodeError(new GatewayError(code, 'words'), 'id') as { error: Record<string, unknown> }
    assert.equal(Object.keys(error), ['message', 'type', 'param', 'code'])
    assert.type(error.type, 'string')
  }
  const quota = format.encodeError(new GatewayError('quota_blocked', 'x'), 'id')
  assert.equal(quota.error, { message: 'x', type: 'insufficient_quota', param: null, code: 'insufficient_quota' })
})

test("an error names the field, or the vendor's class", () => {
  const ours = format.encodeError(new GatewayError('bad_request', 'x', { param: 'model' }), 'id')
  assert.equal(ours.error, { message: 'x', type: 'invalid_request_error', param: 'model', code: null })
  const vendor = { status: 400, class: 'context_length' } as const
  const theirs = format.encodeError(new GatewayError('vendor_refused', 'x', { vendor }), 'id')
  const code = 'context_length_exceeded'
  assert.equal(theirs.error, { message: 'x', type: 'invalid_request_error', param: null, code })
  assert.is(
    format.encodeStreamError(new GatewayError('upstream_failed', 'x'), 'id'),
    'data: {"error":{"message":"x","type":"upstream_error","param":null,"code":"upstream_failed"}}\n\n',
  )
})

test('what a vendor of this dialect said passes as it is, what another said does not', () => {
  const words = { message: 'no such tool', type: 'odd_error', code: 'odd', param: 'tools[0]', details: { tool: 1 } }
  const told = (dialect: string) =>
    format.encodeError(
      new GatewayError('vendor_refused', 'x', {
        vendor: { status: 422, class: 'invalid_request', said: { dialect, ...words } },
      }),
      'id',
    ).error
  assert.equal(told(format.name), words)
  assert.equal(told('other'), { message: 'x', type: 'invalid_request_error', param: null, code: null })
})

test.run()
