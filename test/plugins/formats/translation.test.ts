import { hash } from 'node:crypto'
import {
  type AnswerEvent,
  type Chat,
  type ChatFormat,
  type Completion,
  GatewayError,
  type JsonObject,
  replay,
  type Usage,
} from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkMessagesGrammar, messagesLadder } from '../../support/grammar/messages.ts'
import { assembled, chunks, decoded, encoded, hello, promptIn, reply } from './messages-stream.ts'

const model = 'claude-opus-4-5'
const toMessages = (body: JsonObject): JsonObject =>
  messages.encodePrompt(chatCompletions.decodePrompt(body), { model, stream: false })
const toChat = (body: JsonObject): JsonObject =>
  chatCompletions.encodePrompt(messages.decodePrompt(body), { model: 'gpt-x', stream: false })
const asked = { role: 'user', content: 'Weather in Oslo and Rome?' }

/** A client of the chat dialect that wants to know the usage. */
const chatClient = promptIn(chatCompletions, {
  model: 'gpt-x',
  stream: true,
  stream_options: { include_usage: true },
  messages: [asked],
})

const toolCall = (id: string, name: string, args: string) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})

// --- one exchange in two dialects

const bothCalls = [
  toolCall('call_a1', 'get_weather', '{"city":"Oslo"}'),
  toolCall('call_b2', 'get_weather', '{"city":"Rome"}'),
]
const chatHistory = [
  { role: 'system', content: 'Be brief.' },
  asked,
  {
    role: 'assistant',
    content: 'Checking.',
    tool_calls: bothCalls,
  },
  { role: 'tool', tool_call_id: 'call_a1', content: '2 C' },
  { role: 'tool', tool_call_id: 'call_b2', content: '19 C' },
]
const messagesHistory = [
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
]

test('one history reads the same in both dialects', () => {
  const there = toMessages({ messages: chatHistory })
  assert.is(there.system, 'Be brief.')
  assert.equal(there.messages, messagesHistory)
  const back = toChat({ system: 'Be brief.', max_tokens: 9, messages: messagesHistory })
  assert.equal(back.messages, chatHistory)
})

/** The ids of the calls and of the results in a body, each result with its words, in order. */
function idsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(idsIn)
  const one = value as JsonObject
  const result = one.tool_call_id ?? one.tool_use_id ?? (one.output === undefined ? undefined : one.call_id)
  if (typeof result === 'string') return [`${result}: ${one.content ?? one.output}`]
  if (one.response !== undefined) return [`${one.id}: ${(one.response as JsonObject).output}`]
  const id = one.call_id ?? one.id
  return [...(typeof id === 'string' ? [id] : []), ...Object.values(one).flatMap(idsIn)]
}

test('calls whose ids come again are told apart for every vendor, and their results follow them', () => {
  const calls = (...ids: string[]) => ({
    role: 'assistant',
    content: ids.map(id => ({ type: 'tool_use', id, name: 'f', input: {} })),
  })
  const results = (...given: (readonly [string, string])[]) => ({
    role: 'user',
    content: given.map(([tool_use_id, content]) => ({ type: 'tool_result', tool_use_id, content })),
  })
  const history = [
    asked,
    calls('c', 'd'),
    results(['d', '2'], ['c', '1']),
    calls('c', 'c'),
    results(['c', '3'], ['c', '4'], ['c', 'nothing']),
    calls('c'),
    results(['c', '5']),
  ]
  const chat = messages.decodePrompt({ max_tokens: 9, messages: history })
  for (const format of [chatCompletions, responses, messages, generateContent]) {
    const body = format.encodePrompt(chat, { model: 'm', stream: false })
    const ids = idsIn(body.messages ?? body.input ?? body.contents)
    assert.equal(
      [...ids].sort(),
      ['c', 'c: 1', 'c_2', 'c_2: 3', 'c_3', 'c_3: 4', 'c_4', 'c_4: 5', 'd', 'd: 2'],
      format.name,
    )
  }
})

const BREAKPOINT = { prompt_cache_breakpoint: { mode: 'explicit' } }
const CONTROL = { cache_control: { type: 'ephemeral', ttl: '1h' } }
const EPHEMERAL = { cache_control: { type: 'ephemeral' } }
const said = (text: string, more: object = {}) => ({ type: 'text', text, ...more })
const heard = (text: string, more: object = {}) => ({ type: 'input_text', text, ...more })

test('what a chat client marks as the end of a cached beginning is marked for vendors that have such marks', () => {
  const url = 'data:image/png;base64,iVBORw0KGgoAAAA='
  const chat = chatCompletions.decodePrompt({
    messages: [
      { role: 'system', content: [said('Be brief.'), said('Be kind.', BREAKPOINT)] },
      { role: 'user', content: [said('a', { ...BREAKPOINT, ...CONTROL }), said('b'), said('c', CONTROL)] },
      { role: 'assistant', content: null, tool_calls: bothCalls.slice(0, 1) },
      { role: 'tool', tool_call_id: 'call_a1', content: [said('2 C', BREAKPOINT)] },
      { role: 'user', content: [{ type: 'image_url', image_url: { url }, ...BREAKPOINT }, said('?')] },
    ],
  })
  const there = responses.encodePrompt(chat, { model: 'gpt-5.6', stream: false })
  assert.is(there.instructions, undefined)
  assert.equal(there.input, [
    { type: 'message', role: 'developer', content: [heard('Be brief.'), heard('Be kind.', BREAKPOINT)] },
    { type: 'message', role: 'user', content: [heard('a', BREAKPOINT), heard('b'), heard('c')] },
    { type: 'function_call', call_id: 'call_a1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
    { type: 'function_call_output', call_id: 'call_a1', output: [heard('2 C', BREAKPOINT)] },
    {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_image', image_url: url, detail: 'auto', ...BREAKPOINT }, heard('?')],
    },
  ])
  const { system, messages: turns } = messages.encodePrompt(chat, { model, stream: false })
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgoAAAA=' } }
  assert.equal(system, [said('Be brief.'), said('Be kind.')], 'the vendor takes four, and the last ones say the most')
  assert.equal(turns, [
    { role: 'user', content: [said('a', CONTROL), said('b'), said('c', CONTROL)] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call_a1', name: 'get_weather', input: { city: 'Oslo' } }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_a1', content: '2 C', ...EPHEMERAL },
        { ...image, ...EPHEMERAL },
        said('?'),
      ],
    },
  ])
})

test("marks reach a messages vendor from the system's texts of both of OpenAI's formats, and no mark is made up", () => {
  const system = [said('Be brief.', EPHEMERAL)]
  const chatSystem = { role: 'system', content: [said('Be brief.', CONTROL)] }
  assert.equal(toMessages({ messages: [chatSystem, asked] }).system, [said('Be brief.', CONTROL)])
  const item = { role: 'developer', content: [heard('Be brief.', BREAKPOINT)] }
  const chat = responses.decodePrompt({ instructions: 'Rule.', input: [item, asked] })
  const target = { model, stream: false }
  assert.equal(messages.encodePrompt(chat, target).system, [said('Rule.'), ...system])
  const plain = responses.encodePrompt(chatCompletions.decodePrompt({ messages: [chatSystem, asked] }), target)
  assert.is(plain.instructions, 'Be brief.')
  assert.not.match(JSON.stringify(plain), 'cache')
})

test('results in any order and with words in between end up where each dialect wants them', () => {
  const [system, question, calls, first, second] = chatHistory
  const there = toMessages({ messages: [system, question, calls, second, first, { role: 'user', content: 'And?' }] })
  assert.equal((there.messages as unknown[])[2], {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'call_a1', content: '2 C' },
      { type: 'tool_result', tool_use_id: 'call_b2', content: '19 C' },
      { type: 'text', text: 'And?' },
    ],
  })
  const roles = (toChat(there).messages as { role: string }[]).map(({ role }) => role)
  assert.equal(roles, ['system', 'user', 'assistant', 'tool', 'tool', 'user'])
})

const chatUsage = {
  prompt_tokens: 100,
  completion_tokens: 30,
  total_tokens: 130,
  prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 10 },
  completion_tokens_details: { reasoning_tokens: 12 },
}
const messagesUsage = {
  input_tokens: 50,
  cache_creation_input_tokens: 10,
  cache_read_input_tokens: 40,
  output_tokens: 30,
  output_tokens_details: { thinking_tokens: 12 },
}
const neutralUsage: Usage = { input: 100, output: 30, cacheRead: 40, cacheWrite: 10, reasoning: 12 }

const chatAnswer = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'm',
  choices: [
    {
      index: 0,
      finish_reason: 'tool_calls',
      logprobs: null,
      message: {
        role: 'assistant',
        content: 'Checking.',
        reasoning_content: 'Two cities.',
        tool_calls: bothCalls,
      },
    },
  ],
  usage: chatUsage,
}
const messagesAnswer = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'thinking', thinking: 'Two cities.', signature: 'sig' }, ...(messagesHistory[1]?.content ?? [])],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: messagesUsage,
}

test('one answer reads the same in both dialects, its tokens counted once', () => {
  const fromChat = chatCompletions.decodeAnswer(chatAnswer)
  const fromMessages = messages.decodeAnswer(messagesAnswer)
  assert.equal(fromChat.usage, neutralUsage)
  assert.equal(fromMessages.usage, neutralUsage)
  assert.equal(fromChat.stop, fromMessages.stop)
  const [thought, ...rest] = fromMessages.blocks
  assert.equal(fromChat.blocks, [{ type: 'reasoning', text: 'Two cities.' }, ...rest])
  assert.is(thought?.type, 'reasoning')

  const asMessage = messages.encodeAnswer(fromChat, reply)
  assert.equal(asMessage.usage, messagesUsage)
  assert.is(asMessage.stop_reason, 'tool_use')
  assert.equal((asMessage.content as unknown[]).slice(1), messagesAnswer.content.slice(1))

  const asChat = chatCompletions.encodeAnswer(fromMessages, reply)
  assert.equal(asChat.usage, chatUsage)
  const [choice] = asChat.choices as { finish_reason: string; message: Record<string, unknown> }[]
  assert.is(choice?.finish_reason, 'tool_calls')
  assert.equal(choice?.message.tool_calls, bothCalls)
  assert.is(choice?.message.content, 'Checking.')
})

test('usage without details converts too, and never goes below zero', () => {
  const written = (usage: Usage) =>
    messages.encodeAnswer({ id: '', model: 'm', created: 0, blocks: [], stop: { reason: 'stop' }, usage }, reply).usage
  assert.equal(written({ input: 5, output: 2 }), {
    input_tokens: 5,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 2,
  })
  assert.equal((written({ input: 5, output: 2, cacheRead: 9 }) as JsonObject).input_tokens, 0)
})

// --- stop reasons

test('stop reasons of the messages dialect are told to chat clients', () => {
  const told = (stop_reason: string) => {
    const body = { ...messagesAnswer, content: [{ type: 'text', text: 'x' }], stop_reason }
    const out = chatCompletions.encodeAnswer(messages.decodeAnswer(body), reply)
    return (out.choices as { finish_reason: string }[])[0]?.finish_reason
  }
  assert.is(told('end_turn'), 'stop')
  assert.is(told('stop_sequence'), 'stop')
  assert.is(told('max_tokens'), 'length')
  assert.is(told('model_context_window_exceeded'), 'length')
  assert.is(told('refusal'), 'content_filter')
  assert.is(told('pause_turn'), 'stop')
})

test('finish reasons of the chat dialect are told to messages clients', () => {
  const told = (finish_reason: string, message: JsonObject = { role: 'assistant', content: 'x' }) =>
    messages.encodeAnswer(
      chatCompletions.decodeAnswer({ ...chatAnswer, choices: [{ index: 0, finish_reason, message }] }),
      reply,
    ).stop_reason
  assert.is(told('stop'), 'end_turn')
  assert.is(told('length'), 'max_tokens')
  assert.is(told('content_filter'), 'refusal')
  assert.is(told('stop', { role: 'assistant', content: null, refusal: 'No.' }), 'refusal')
  const calling = { role: 'assistant', content: null, tool_calls: [toolCall('a', 'f', '{}')] }
  assert.is(told('tool_calls', calling), 'tool_use')
  assert.is(told('stop', calling), 'tool_use')
})

// --- tool calls

const callsOf = (body: JsonObject): { id: string; function: { name: string; arguments: string } }[] =>
  (body.messages as JsonObject[]).flatMap(message => (message.tool_calls ?? []) as ReturnType<typeof callsOf>)

test('tool ids survive the way to the other dialect and back, in histories', () => {
  const ids = fc.uniqueArray(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), {
    minLength: 1,
    maxLength: 4,
  })
  fc.assert(
    fc.property(ids, some => {
      const history = [
        asked,
        { role: 'assistant', content: null, tool_calls: some.map(id => toolCall(id, 'f', '{}')) },
        ...some.map(id => ({ role: 'tool', tool_call_id: id, content: 'r' })),
      ]
      const there = toMessages({ messages: history })
      const wireIds = [...JSON.stringify(there.messages).matchAll(/"(?:tool_use_)?id":"([^"]*)"/g)].map(([, id]) => id)
      assert.is(wireIds.length, some.length * 2)
      for (const id of wireIds) assert.match(id ?? '', /^[A-Za-z0-9_-]+$/)
      const back = toChat(there)
      assert.equal(
        callsOf(back).map(({ id }) => id),
        some,
      )
      const answered = (back.messages as JsonObject[]).flatMap(({ tool_call_id }) => tool_call_id ?? [])
      assert.equal(answered, some)
    }),
  )
})

test("a vendor's odd ids come back to it from a client of the other dialect", () => {
  const id = 'functions.get_weather:0'
  const answer = {
    ...chatAnswer,
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: { role: 'assistant', content: null, tool_calls: [toolCall(id, 'f', '{}')] },
      },
    ],
  }
  const { content } = messages.encodeAnswer(chatCompletions.decodeAnswer(answer), reply)
  const [use] = content as JsonObject[]
  assert.match(String(use?.id), /^[A-Za-z0-9_-]+$/)
  const results = [{ type: 'tool_result', tool_use_id: use?.id, content: 'r' }]
  const back = toChat({ messages: [asked, { role: 'assistant', content }, { role: 'user', content: results }] })
  assert.is(callsOf(back)[0]?.id, id)
})

const argsBack = (args: string): string | undefined => {
  const history = [
    asked,
    { role: 'assistant', content: null, tool_calls: [toolCall('a', 'f', args)] },
    { role: 'tool', tool_call_id: 'a', content: 'r' },
  ]
  const wire: JsonObject = JSON.parse(JSON.stringify(toMessages({ messages: history })))
  return callsOf(toChat(wire))[0]?.function.arguments
}

test('arguments survive: empty, nested, in any script, large', () => {
  assert.is(argsBack(''), '{}')
  assert.is(argsBack('{}'), '{}')
  for (const args of [
    '{"b":{"a":[1,{"z":null,"y":[true,-0.5]}]},"a":""}',
    '{"日本":"東京 👩‍👩‍👧","quote":"\\"\\\\ \\n"}',
    JSON.stringify({ text: 'ä€😀'.repeat(20_000) }),
  ]) {
    assert.is(argsBack(args), args)
  }
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), value => {
      assert.equal(JSON.parse(argsBack(JSON.stringify(value)) ?? ''), JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('three parallel calls keep their order, names and results', () => {
  const calls = [toolCall('a', 'f', '{"n":1}'), toolCall('b', 'g', ''), toolCall('c', 'f', '{"n":3}')]
  const history = [
    asked,
    { role: 'assistant', content: null, tool_calls: calls },
    ...['c', 'a', 'b'].map(id => ({ role: 'tool', tool_call_id: id, content: `of ${id}` })),
  ]
  const back = toChat(toMessages({ messages: history }))
  assert.equal(callsOf(back), [calls[0], toolCall('b', 'g', '{}'), calls[2]])
  assert.equal((back.messages as JsonObject[]).slice(2), [
    { role: 'tool', tool_call_id: 'a', content: 'of a' },
    { role: 'tool', tool_call_id: 'b', content: 'of b' },
    { role: 'tool', tool_call_id: 'c', content: 'of c' },
  ])
})

test('tools and their choice keep their meaning', () => {
  const parameters = { type: 'object', properties: { x: { type: 'string' } } }
  const there = toMessages({
    messages: [asked],
    tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters } }],
    tool_choice: { type: 'function', function: { name: 'f' } },
    parallel_tool_calls: false,
  })
  assert.equal(there.tools, [{ name: 'f', description: 'd', input_schema: parameters }])
  assert.equal(there.tool_choice, { type: 'tool', name: 'f', disable_parallel_tool_use: true })
  const back = toChat(there)
  assert.equal(back.tools, [{ type: 'function', function: { name: 'f', description: 'd', parameters } }])
  assert.equal(back.tool_choice, { type: 'function', function: { name: 'f' } })
  assert.is(back.parallel_tool_calls, false)
})

test("a vendor's own tool is refused by name in the other dialect", () => {
  const tools = [{ type: 'web_fetch_20250910', name: 'web_fetch' }]
  assert.throws(
    () => toChat({ messages: [asked], tools }),
    (error: unknown) =>
      error instanceof GatewayError && error.code === 'bad_request' && /web_fetch/.test(error.message),
  )
})

// --- content

test('images and system texts keep their place', () => {
  const png = `iVBORw0KGgo${'A'.repeat(21)}`
  const history = [
    { role: 'system', content: 'One.' },
    { role: 'developer', content: 'Two.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
        { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
      ],
    },
    { role: 'assistant', content: 'Seen.' },
    { role: 'system', content: 'Now in French.' },
    { role: 'user', content: 'Again' },
  ]
  const there = toMessages({ messages: history })
  assert.equal(there.system, [
    { type: 'text', text: 'One.' },
    { type: 'text', text: 'Two.' },
  ])
  assert.equal(there.messages, [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
        { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
      ],
    },
    { role: 'assistant', content: 'Seen.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: '<system-instruction>\nNow in French.\n</system-instruction>' },
        { type: 'text', text: 'Again' },
      ],
    },
  ])
  const [system, first] = toChat(there).messages as JsonObject[]
  assert.equal(system, { role: 'system', content: 'One.\n\nTwo.' })
  assert.equal(first?.content, history[2]?.content)
})

test('an image in a tool result reaches a vendor whose results hold only words', () => {
  const image = { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } }
  const back = toChat({
    messages: [
      asked,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'shot', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [image] }] },
    ],
  })
  const roles = (back.messages as JsonObject[]).map(({ role }) => role)
  assert.equal(roles, ['user', 'assistant', 'tool', 'user'])
  assert.match(JSON.stringify((back.messages as unknown[])[3]), 'https://example.org/a.png')
})

test('the billing note, cache marks and foreign signatures stay with the vendor they are for', () => {
  const body = toChat({
    system: [
      { type: 'text', text: 'x-anthropic-billing-header: cch=1;' },
      { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
    ],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'q', cache_control: { type: 'ephemeral' } }] },
      {
        role: 'assistant',
        content: [
          { type: 'redacted_thinking', data: 'SECRET' },
          { type: 'text', text: 'a' },
        ],
      },
      { role: 'user', content: 'b' },
    ],
  })
  assert.not.match(JSON.stringify(body), /billing|cache_control|SECRET/)
  assert.match(JSON.stringify(body), 'Be brief.')
})

test('output cap, sampling and stops translate', () => {
  const there = toMessages({ messages: [asked], max_completion_tokens: 77, temperature: 1.5, stop: 'END', seed: 3 })
  assert.is(there.max_tokens, 77)
  assert.is(there.temperature, 1)
  assert.equal(there.stop_sequences, ['END'])
  assert.not('seed' in there)
  const back = toChat({ messages: [asked], max_tokens: 77, temperature: 0.5, stop_sequences: ['END'] })
  assert.is(back.max_completion_tokens ?? back.max_tokens, 77)
  assert.is(back.temperature, 0.5)
  assert.equal(back.stop, ['END'])
})

test('who asks for no thinking gets none, by the word that the model has for it', () => {
  const clients: readonly [ChatFormat, JsonObject][] = [
    [chatCompletions, { messages: [asked], reasoning_effort: 'none' }],
    [responses, { input: 'hi', reasoning: { effort: 'none' } }],
    [messages, { max_tokens: 9, messages: [asked], thinking: { type: 'disabled' } }],
    [
      generateContent,
      {
        contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
        generationConfig: { thinkingConfig: { thinkingBudget: 0 } },
      },
    ],
  ]
  for (const [client, body] of clients)
    for (const [model, word] of [
      ['gpt-5.4', 'none'],
      ['gpt-5.1', 'none'],
      ['openai/gpt-5.4-nano', 'none'],
      ['gpt-5-mini', 'minimal'],
      ['gpt-5.1-chat-latest', undefined],
      ['gpt-5-pro', undefined],
      ['gpt-5.1-codex', undefined],
      ['o3', undefined],
      ['gpt-4.1', undefined],
    ] as const) {
      const chat = client.decodePrompt({ model, ...body })
      const said = `${client.name}, ${model}`
      assert.is(chatCompletions.encodePrompt(chat, { model, stream: false }).reasoning_effort, word, said)
      const sent = responses.encodePrompt(chat, { model, stream: false })
      assert.equal(sent.reasoning, word && { effort: word }, said)
      assert.equal(sent.include, word === 'minimal' ? ['reasoning.encrypted_content'] : undefined, said)
    }
})

test('what two formats ask of the serving passes between them, and names no person', () => {
  const shared = {
    service_tier: 'flex',
    prompt_cache_key: 'ann@example.org',
    prompt_cache_retention: '24h',
    prompt_cache_options: { mode: 'explicit', ttl: '30m' },
    store: true,
  }
  const metadata = { project: 'x', user_id: 'ann@example.org' }
  const bodies: readonly [ChatFormat, JsonObject][] = [
    [chatCompletions, { messages: [asked], ...shared, metadata, verbosity: 'low' }],
    [responses, { input: 'hi', ...shared, metadata, text: { verbosity: 'low' } }],
  ]
  const someone = hash('sha256', 'ann@example.org', 'hex')
  for (const [client, body] of bodies) {
    const chat = client.decodePrompt(body)
    const [toChat, toResponses] = [chatCompletions, responses].map(format =>
      format.encodePrompt(chat, { model: 'gpt-5.4', stream: false }),
    )
    assert.is(toChat?.verbosity, 'low')
    assert.equal(toResponses?.text, { verbosity: 'low' })
    for (const sent of [toChat, toResponses]) {
      assert.equal([sent?.service_tier, sent?.prompt_cache_key], ['flex', someone])
      assert.is(sent?.prompt_cache_retention, '24h')
      assert.equal(sent?.prompt_cache_options, shared.prompt_cache_options)
      assert.equal(sent?.metadata, { project: 'x', user_id: someone })
      assert.not.match(JSON.stringify(sent), 'ann@')
    }
    assert.equal([toChat?.store, toResponses?.store], [true, false], 'chat vendors take labels of kept answers only')
    const unkept = client.decodePrompt({ ...body, store: false })
    assert.is(chatCompletions.encodePrompt(unkept, { model: 'gpt-5.4', stream: false }).metadata, undefined)
    const elsewhere = messages.encodePrompt(chat, { model, stream: false })
    assert.not.match(JSON.stringify(elsewhere), /flex|low|metadata/)
  }
})

test('a class of service has its word in each format, or none', () => {
  const openai = (chat: Chat) =>
    [chatCompletions, responses].map(
      format => format.encodePrompt(chat, { model: 'gpt-x', stream: false }).service_tier,
    )
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]
  for (const [tier, anthropics, googles] of [
    ['auto', 'auto', undefined],
    ['default', 'standard_only', 'standard'],
    ['flex', undefined, 'flex'],
    ['priority', undefined, 'priority'],
  ] as const) {
    const chat = chatCompletions.decodePrompt({ messages: [asked], service_tier: tier })
    assert.is(messages.encodePrompt(chat, { model, stream: false }).service_tier, anthropics)
    const sent = generateContent.encodePrompt(chat, { model: 'gemini-3-pro', stream: false })
    assert.is(sent.serviceTier, googles)
    const back = messages.decodePrompt({ max_tokens: 9, messages: [asked], service_tier: anthropics })
    assert.equal(openai(back), anthropics === undefined ? [undefined, undefined] : [tier, tier])
    const there = generateContent.decodePrompt({ contents, service_tier: googles })
    assert.equal(openai(there), googles === undefined ? [undefined, undefined] : [tier, tier])
  }
})

test('an effort becomes thinking, and thinking an effort', () => {
  assert.equal(toMessages({ messages: [asked], reasoning_effort: 'high', max_tokens: 10_000 }).thinking, {
    type: 'enabled',
    budget_tokens: 6000,
  })
  assert.is(toMessages({ messages: [asked], reasoning_effort: 'none' }).thinking, undefined)
  const effort = (budget_tokens: number) =>
    toChat({ messages: [asked], max_tokens: 99_999, thinking: { type: 'enabled', budget_tokens } }).reasoning_effort
  assert.equal([2048, 16_384, 30_000].map(effort), ['low', 'medium', 'high'])
})

test('a schema is asked for in both dialects', () => {
  const schema = {
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  }
  const there = toMessages({
    messages: [asked],
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
  })
  assert.equal(there.output_config, { format: { type: 'json_schema', schema } })
  const back = toChat(there).response_format as { type: string; json_schema: { schema: unknown; name: unknown } }
  assert.is(back.type, 'json_schema')
  assert.equal(back.json_schema.schema, schema)
  assert.type(back.json_schema.name, 'string')
})

test('what is said of a schema goes along, in the schema where a dialect has no other place', () => {
  const schema = {
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  }
  const format = { name: 'count', description: 'How many birds.', schema, strict: true }
  const chat = chatCompletions.decodePrompt({
    messages: [asked],
    response_format: { type: 'json_schema', json_schema: format },
  })
  const flat = { type: 'json_schema', ...format }
  const target = { model: 'm', stream: false }
  assert.equal(responses.encodePrompt(chat, target).text, { format: flat })
  const back = responses.decodePrompt({ input: 'hi', text: { format: flat } })
  assert.equal(chatCompletions.encodePrompt(back, target).response_format, { type: 'json_schema', json_schema: format })
  const described = { ...schema, description: 'How many birds.' }
  assert.equal(messages.encodePrompt(chat, { ...target, model }).output_config, {
    format: { type: 'json_schema', schema: described },
  })
  const content = generateContent.encodePrompt(chat, { ...target, model: 'gemini-3-flash' })
    .generationConfig as JsonObject
  assert.equal(content.responseJsonSchema, described)
})

const closed = { type: 'object', additionalProperties: false }
const text = { type: 'string' }
const strictSchemas: readonly JsonObject[] = [
  { ...closed, properties: { a: { type: ['string', 'null'] } }, required: ['a'] },
  { ...closed, properties: { required: text, not: text }, required: ['not', 'required'] },
  {
    ...closed,
    properties: { a: { type: 'array', items: { $ref: '#/$defs/one' } }, b: { anyOf: [{ enum: [1] }, { const: 2 }] } },
    required: ['a', 'b'],
    $defs: { one: { ...closed, properties: { a: text }, required: ['a'] } },
  },
]
const inside = (schema: unknown): JsonObject => ({ ...closed, properties: { in: schema }, required: ['in'] })
const optional = { ...closed, properties: { a: text, b: text }, required: ['a'] }
const looseSchemas: readonly JsonObject[] = [
  optional,
  { type: 'object', properties: { a: text }, required: ['a'] },
  { type: 'object', additionalProperties: text },
  { type: 'array', items: text },
  { ...closed, anyOf: [closed] },
  ...[optional, { type: 'array', items: optional }, { anyOf: [text, optional] }, { type: ['object', 'null'] }].map(
    inside,
  ),
  ...[{}, true, { allOf: [text] }, { oneOf: [text], type: 'string' }].map(inside),
  { ...closed, $defs: { one: optional } },
]

test('a schema is strict for an OpenAI vendor only where its strict mode takes it', () => {
  for (const [schemas, strict] of [
    [strictSchemas, true],
    [looseSchemas, false],
  ] as const)
    for (const schema of schemas) {
      const chat = messages.decodePrompt({
        max_tokens: 9,
        messages: [asked],
        tools: [{ name: 'f', input_schema: schema, strict: true }],
        output_config: { format: { type: 'json_schema', schema } },
      })
      const noted: string[] = []
      const target = { model: 'gpt-x', stream: false, note: (field: string) => void noted.push(field) }
      const said = JSON.stringify(schema)
      const { tools, response_format } = chatCompletions.encodePrompt(chat, target)
      const written = strict ? { strict } : {}
      assert.equal(tools, [{ type: 'function', function: { name: 'f', parameters: schema, ...written } }], said)
      assert.equal(response_format, { type: 'json_schema', json_schema: { name: 'answer', schema, ...written } }, said)
      assert.equal(noted, strict ? [] : ['tools.strict', 'response_format.strict'], said)
      const there = responses.encodePrompt(chat, { model: 'gpt-x', stream: false })
      assert.equal(there.tools, [{ type: 'function', name: 'f', parameters: schema, strict }], said)
      assert.equal(there.text, { format: { type: 'json_schema', name: 'answer', schema, strict } }, said)
    }
})

test('a strict tool without arguments is not strict for an OpenAI vendor', () => {
  const chat = responses.decodePrompt({ input: 'hi', tools: [{ type: 'function', name: 'f', strict: true }] })
  const parameters = { type: 'object', properties: {} }
  const { tools } = chatCompletions.encodePrompt(chat, { model: 'gpt-x', stream: false })
  assert.equal(tools, [{ type: 'function', function: { name: 'f', parameters } }])
})

// --- streams

const answer: Completion = {
  id: 'up',
  model: 'm',
  created: 0,
  blocks: [
    { type: 'reasoning', text: 'Two cities: 東京 und Zürich 👩‍👩‍👧.' },
    { type: 'text', text: 'Checking 東京 👩‍👩‍👧 é — één moment… '.repeat(4) },
    { type: 'tool_call', id: 'call_a1', name: 'get_weather', args: '{"city":"Köln 🏙️"}' },
    { type: 'tool_call', id: 'call_b2', name: 'get_weather', args: '{}' },
    { type: 'tool_call', id: 'call_c3', name: 'get_time', args: '{"deep":{"er":[1,2]}}' },
  ],
  stop: { reason: 'tool_use' },
  usage: neutralUsage,
}

/** What counts of an answer on its way through a dialect: not the id and time that each delivery makes anew. */
const kept = (events: Iterable<AnswerEvent>) => {
  const { blocks, stop, usage, model } = assembled(events)
  return { blocks, stop, usage, model }
}

async function through(format: ChatFormat, events: Iterable<AnswerEvent>): Promise<AnswerEvent[]> {
  const text = encoded(format, events, format === messages ? hello : chatClient)
  return decoded(format, chunks(text))
}

test('a streamed answer passes both dialects, in either order, and stays the same', async () => {
  const first = [...replay(answer)]
  const wanted = kept(first)
  assert.equal(kept(await through(messages, first)), wanted)
  assert.equal(kept(await through(chatCompletions, first)), wanted)
  assert.equal(kept(await through(messages, await through(chatCompletions, first))), wanted)
  assert.equal(kept(await through(chatCompletions, await through(messages, first))), wanted)
})

test('the same wherever the network cuts the bytes, in both directions', async () => {
  for (const [from, to] of [
    [messages, chatCompletions],
    [chatCompletions, messages],
  ] as const) {
    const bytes = Buffer.from(encoded(from, replay(answer), from === messages ? hello : chatClient))
    const client = to === messages ? hello : chatClient
    const translated = async (source: AsyncIterable<Uint8Array>) => encoded(to, await decoded(from, source), client)
    const whole = await translated(chunks(bytes.toString()))
    const cut = async function* (at: number) {
      yield bytes.subarray(0, at)
      yield bytes.subarray(at)
    }
    for (let at = 1; at < bytes.length; at++) assert.is(await translated(cut(at)), whole)
    assert.is(await translated(chunks(bytes.toString(), 1)), whole)
  }
})

test("a chat vendor's stream climbs the ladder of the messages dialect", async () => {
  const text = encoded(messages, await through(chatCompletions, replay(answer)))
  assert.is(
    messagesLadder(checkMessagesGrammar(text)).join(' · '),
    'message_start · ping · start thinking · thinking_delta · stop · start text · text_delta · stop · ' +
      'start tool_use · input_json_delta · stop · start tool_use · input_json_delta · stop · ' +
      'start tool_use · input_json_delta · stop · message_delta · message_stop',
  )
})

const chatChunk = (delta: JsonObject, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
const callChunk = (index: number, fields: JsonObject, args: string): string =>
  chatChunk({ tool_calls: [{ index, ...fields, function: { ...(fields.id ? { name: 'f' } : {}), arguments: args } }] })

test('calls that a chat vendor interleaves reach a messages client one after the other', async () => {
  const stream =
    chatChunk({ role: 'assistant', content: null }) +
    callChunk(0, { id: 'a', type: 'function' }, '') +
    callChunk(1, { id: 'b', type: 'function' }, '') +
    callChunk(1, {}, '{"n":') +
    callChunk(0, {}, '{"n":1') +
    callChunk(1, {}, '2}') +
    callChunk(0, {}, '}') +
    chatChunk({}, 'stop') +
    'data: [DONE]\n\n'
  const text = encoded(messages, await decoded(chatCompletions, chunks(stream)))
  const events = checkMessagesGrammar(text)
  assert.is(events.at(-2)?.delta?.stop_reason, 'tool_use')
  assert.equal(assembled(await decoded(messages, chunks(text))).blocks, [
    { type: 'tool_call', id: 'a', name: 'f', args: '{"n":1}' },
    { type: 'tool_call', id: 'b', name: 'f', args: '{"n":2}' },
  ])
})

test('a whole answer and its stream say the same in both dialects', async () => {
  for (const format of [messages, chatCompletions]) {
    const whole = format.decodeAnswer(JSON.parse(JSON.stringify(format.encodeAnswer(answer, reply))))
    const streamed = assembled(await through(format, replay(answer)))
    assert.equal(streamed.blocks, whole.blocks)
    assert.equal(streamed.stop, whole.stop)
    assert.equal(streamed.usage, whole.usage)
  }
})

// --- sources and probabilities

const page = (start_index: number, end_index: number) => ({
  type: 'url_citation',
  url_citation: { start_index, end_index, url: 'https://a.example/x', title: 'A' },
})
const source = {
  type: 'web_search_result_location',
  url: 'https://a.example/x',
  title: 'A',
  cited_text: 'said there',
  encrypted_index: 'opaque',
}

test('what a messages vendor cites a chat client is told as annotations, whole and streamed', async () => {
  const content = [
    { type: 'text', text: 'Well. ' },
    { type: 'text', text: 'It rains.', citations: [source] },
  ]
  const body = { id: 'm', type: 'message', model: 'm', content, stop_reason: 'end_turn', usage: {} }
  const completion = messages.decodeAnswer(body)
  assert.equal(completion.unmodelled, ['citations'], 'its place in the source is known to its own format only')
  const told = { ...page(6, 15), url_citation: { ...page(6, 15).url_citation, content: 'said there' } }
  const [choice] = chatCompletions.encodeAnswer(completion, reply).choices as { message: JsonObject }[]
  assert.is(choice?.message.content, 'Well. It rains.')
  assert.equal(choice?.message.annotations, [told])

  const frame = (type: string, more: JsonObject) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
  const stream =
    frame('message_start', { message: { id: 'm', model: 'm', usage: {} } }) +
    frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
    frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'It rains.' } }) +
    frame('content_block_delta', { index: 0, delta: { type: 'citations_delta', citation: source } }) +
    frame('content_block_stop', { index: 0 }) +
    frame('message_delta', { delta: { stop_reason: 'end_turn' }, usage: {} }) +
    frame('message_stop', {})
  const events = await decoded(messages, chunks(stream))
  const streamed = assembled(await decoded(chatCompletions, chunks(encoded(chatCompletions, events, chatClient))))
  assert.equal(streamed.blocks, [
    {
      type: 'text',
      text: 'It rains.',
      citations: [{ url: source.url, title: 'A', quote: 'said there', start: 0, end: 9 }],
    },
  ])
})

test('what a chat vendor cites a messages client is told as citations, whole and streamed', async () => {
  const message = { role: 'assistant', content: 'It rains.', annotations: [page(0, 8)] }
  const completion = chatCompletions.decodeAnswer({ choices: [{ index: 0, message, finish_reason: 'stop' }] })
  const written = { ...source, cited_text: '', encrypted_index: '' }
  const block = { type: 'text', text: 'It rains.', citations: [written] }
  assert.equal(messages.encodeAnswer(completion, reply).content, [block])
  const streamed = checkMessagesGrammar(encoded(messages, replay(completion)))
  assert.equal(
    streamed.filter(({ delta }) => delta?.type === 'citations_delta').map(({ delta }) => delta?.citation),
    [written],
  )
  assert.equal(chatCompletions.encodeAnswer(completion, reply).choices, [
    { index: 0, message: { ...message, refusal: null }, logprobs: null, finish_reason: 'stop' },
  ])
})

test('probabilities of tokens come through the canonical shape as they were, whole and streamed', async () => {
  const likely = (token: string, logprob: number) => ({ token, bytes: [...Buffer.from(token)], logprob })
  const content = [
    { ...likely('It', -0.1), top_logprobs: [likely('It', -0.1), likely('Es', -3)] },
    { ...likely(' räins', -0.2), top_logprobs: [] },
  ]
  const logprobs = { content, refusal: null }
  const choice = { index: 0, message: { role: 'assistant', content: 'It räins', refusal: null }, logprobs }
  const completion = chatCompletions.decodeAnswer({ choices: [{ ...choice, finish_reason: 'stop' }] })
  assert.is(completion.unmodelled, undefined)
  assert.equal(chatCompletions.encodeAnswer(completion, reply).choices, [{ ...choice, finish_reason: 'stop' }])
  const text = encoded(chatCompletions, replay(completion), chatClient)
  assert.equal(assembled(await decoded(chatCompletions, chunks(text))).blocks, completion.blocks)
})

test.run()
