import { type ChatFormat, GatewayError, isObject, type JsonObject } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

/** A search that a vendor runs, asked for in one dialect and written in the others. */

const FORMATS = { chatCompletions, generateContent, messages, responses }
type Name = keyof typeof FORMATS

/** A question in each dialect. */
const ASKED: Readonly<Record<Name, JsonObject>> = {
  chatCompletions: { messages: [{ role: 'user', content: 'News?' }] },
  generateContent: { contents: [{ role: 'user', parts: [{ text: 'News?' }] }] },
  messages: { max_tokens: 9, messages: [{ role: 'user', content: 'News?' }] },
  responses: { input: 'News?' },
}

/** The same search without a setting. */
const PLAIN: Readonly<Record<Name, JsonObject>> = {
  chatCompletions: { web_search_options: {} },
  generateContent: { tools: [{ googleSearch: {} }] },
  messages: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
  responses: { tools: [{ type: 'web_search' }] },
}

const model = 'claude-opus-4-5'

/** What of a body is about tools. */
function toolsOf({ tools, tool_choice, toolConfig, web_search_options, max_tool_calls }: JsonObject): JsonObject {
  const said = { tools, tool_choice, toolConfig, web_search_options, max_tool_calls }
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
}

const translated = (from: Name, to: Name, more: JsonObject): JsonObject =>
  toolsOf(written(FORMATS[from], FORMATS[to], { ...ASKED[from], ...more }))

const written = (from: ChatFormat, to: ChatFormat, body: JsonObject): JsonObject =>
  to.encodePrompt(from.decodePrompt(body), { model, stream: false })

function refusedField(from: Name, to: Name, more: JsonObject): string | undefined {
  try {
    translated(from, to, more)
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'bad_request') return error.param
    throw error
  }
  return undefined
}

const names = Object.keys(PLAIN) as Name[]

test('each dialect asks for a search in the words of each other one', () => {
  for (const from of names)
    for (const to of names) assert.equal(translated(from, to, PLAIN[from]), PLAIN[to], `${from} to ${to}`)
})

test('every version and spelling of the tool is one', () => {
  for (const type of ['web_search_preview', 'web_search_preview_2025_03_11', 'web_search_2025_08_26'])
    assert.equal(translated('responses', 'messages', { tools: [{ type }] }), PLAIN.messages, type)
  for (const type of ['web_search_20260209', 'web_search_20260318'])
    assert.equal(translated('messages', 'responses', { tools: [{ type, name: 'web_search' }] }), PLAIN.responses, type)
  assert.equal(translated('generateContent', 'responses', { tools: [{ google_search: {} }] }), PLAIN.responses)
  assert.is(refusedField('responses', 'messages', { tools: [{ type: 'file_search' }] }), 'tools')
})

const place = { type: 'approximate', city: 'Oslo', country: 'NO', timezone: 'Europe/Oslo' }

test('settings that both sides have are carried', () => {
  const domains = { allowed_domains: ['a.example'] }
  assert.equal(
    translated('messages', 'responses', {
      tools: [{ type: 'web_search_20250305', name: 'web_search', ...domains, user_location: place, max_uses: 3 }],
    }),
    { tools: [{ type: 'web_search', filters: domains, user_location: place }], max_tool_calls: 3 },
  )
  const blocked = { blocked_domains: ['b.example'] }
  assert.equal(
    translated('responses', 'messages', {
      max_tool_calls: 2,
      tools: [{ type: 'web_search', filters: blocked, user_location: place, search_context_size: 'high' }],
    }),
    {
      tools: [{ type: 'web_search_20250305', name: 'web_search', ...blocked, user_location: place, max_uses: 2 }],
    },
  )
  const { type, ...approximate } = place
  const options = { user_location: { type, approximate }, search_context_size: 'low' }
  assert.equal(translated('chatCompletions', 'responses', { web_search_options: options }), {
    tools: [{ type: 'web_search', user_location: place, search_context_size: 'low' }],
  })
  assert.equal(
    translated('responses', 'chatCompletions', {
      tools: [{ type: 'web_search', user_location: place, search_context_size: 'low' }],
    }),
    { web_search_options: options },
  )
  assert.equal(
    translated('generateContent', 'messages', { tools: [{ googleSearch: { excludeDomains: ['b.example'] } }] }),
    {
      tools: [{ type: 'web_search_20250305', name: 'web_search', ...blocked }],
    },
  )
})

test('D42: what would change the answer and has no word is refused by its field', () => {
  const search = (more: JsonObject) => ({
    tools: [
      { type: 'function', name: 'f' },
      { type: 'web_search', ...more },
    ],
  })
  const own = (more: JsonObject) => ({ tools: [{ type: 'web_search_20250305', name: 'web_search', ...more }] })
  const cases: readonly [Name, Name, JsonObject, string][] = [
    ['responses', 'generateContent', search({ user_location: place }), 'tools[1].user_location'],
    [
      'responses',
      'chatCompletions',
      search({ filters: { allowed_domains: ['a'] } }),
      'tools[1].filters.allowed_domains',
    ],
    ['responses', 'messages', search({ external_web_access: false }), 'tools[1].external_web_access'],
    ['responses', 'messages', search({ search_content_types: ['text', 'image'] }), 'tools[1].search_content_types'],
    ['responses', 'messages', search({ filters: { since: 'today' } }), 'tools[1].filters.since'],
    ['responses', 'messages', search({ user_location: { latitude: 1 } }), 'tools[1].user_location'],
    ['responses', 'chatCompletions', { ...search({}), max_tool_calls: 1 }, 'max_tool_calls'],
    [
      'responses',
      'messages',
      search({ filters: { allowed_domains: ['a'], blocked_domains: ['b'] } }),
      'tools[1].filters.blocked_domains',
    ],
    ['messages', 'generateContent', own({ max_uses: 1 }), 'tools[0].max_uses'],
    ['messages', 'responses', own({ response_inclusion: 'excluded' }), 'tools[0].response_inclusion'],
    [
      'generateContent',
      'responses',
      { tools: [{ googleSearch: { timeRangeFilter: { startTime: '2026-01-01T00:00:00Z' } } }] },
      'tools[0].googleSearch.timeRangeFilter',
    ],
    [
      'chatCompletions',
      'generateContent',
      { web_search_options: { user_location: place } },
      'web_search_options.user_location',
    ],
  ]
  for (const [from, to, more, field] of cases) assert.is(refusedField(from, to, more), field)
})

test('settings at their defaults ask for nothing', () => {
  const responsesTool = {
    type: 'web_search',
    external_web_access: true,
    search_content_types: ['text'],
    filters: { allowed_domains: [], blocked_domains: null },
    user_location: { type: 'approximate' },
    search_context_size: 'medium',
  }
  assert.equal(translated('responses', 'messages', { tools: [responsesTool] }), PLAIN.messages)
  const messagesTool = {
    type: 'web_search_20260318',
    name: 'web_search',
    allowed_callers: ['direct'],
    cache_control: { type: 'ephemeral' },
    max_uses: null,
    response_inclusion: 'full',
    defer_loading: false,
  }
  assert.equal(translated('messages', 'generateContent', { tools: [messagesTool] }), PLAIN.generateContent)
})

test('a search that has to be made, or must not be, is told so in the words of each dialect', () => {
  const tools = [{ type: 'function', name: 'f' }, { type: 'web_search_preview' }]
  const forced = { tools, tool_choice: { type: 'web_search_preview' } }
  assert.equal(translated('responses', 'messages', forced).tool_choice, { type: 'tool', name: 'web_search' })
  assert.is(refusedField('responses', 'generateContent', forced), 'tool_choice')
  assert.is(refusedField('responses', 'chatCompletions', forced), 'tool_choice')
  assert.equal(
    translated('messages', 'responses', { ...PLAIN.messages, tool_choice: { type: 'tool', name: 'web_search' } })
      .tool_choice,
    { type: 'web_search' },
  )
  // A model that searches does so in any case.
  const alone = { tools: [{ type: 'web_search' }], tool_choice: 'required' }
  assert.equal(translated('responses', 'chatCompletions', alone), PLAIN.chatCompletions)
  assert.is(refusedField('responses', 'generateContent', alone), 'tool_choice')
  for (const to of ['chatCompletions', 'generateContent'] as const) {
    const silent = JSON.stringify(translated('responses', to, { tools, tool_choice: 'none' }))
    assert.not.match(silent, /[sS]earch/, to)
  }
})

test('a function of the same name is not taken for the search', () => {
  const tools = [{ type: 'function', name: 'web_search' }, { type: 'web_search' }]
  assert.is(refusedField('responses', 'messages', { tools }), 'tools[1]')
  assert.equal(translated('responses', 'generateContent', { tools }).tools, [
    { functionDeclarations: [{ name: 'web_search' }] },
    { googleSearch: {} },
  ])
})

test('what a vendor found before is left out for the next one, and its words stay', () => {
  const found = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'news' } }
  const said = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Much.', annotations: [] }],
  }
  const input = [{ role: 'user', content: 'News?' }, found, said, { role: 'user', content: 'More?' }]
  const { messages: there } = written(responses, messages, { input })
  assert.equal(there, [
    { role: 'user', content: 'News?' },
    { role: 'assistant', content: 'Much.' },
    { role: 'user', content: 'More?' },
  ])
  const contents = [
    { role: 'user', parts: [{ text: 'News?' }] },
    { role: 'model', parts: [{ toolCall: { toolType: 'GOOGLE_SEARCH_WEB', id: 't1' } }, { text: 'Much.' }] },
    { role: 'user', parts: [{ text: 'More?' }] },
  ]
  const chat = generateContent.decodePrompt({ contents })
  assert.is(chat.vendorOnly, undefined)
  assert.ok(isObject(responses.encodePrompt(chat, { model, stream: false })))
})

test.run()
