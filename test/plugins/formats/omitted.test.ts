import type { Chat, ChatFormat, JsonObject, Reasoning, Sampling, Serving, Tool, ToolChoice, Wanted } from 'deflector'
import { isGatewayError } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

/** Every field of a conversation, those of its settings one by one. A new field has to get a row below. */
type Nested<Name extends keyof Chat, Fields> = `${Name}.${Extract<keyof Fields, string>}`
type Field =
  | Exclude<keyof Chat, 'sampling' | 'wanted' | 'serving' | 'toolChoice' | 'reasoning'>
  | Nested<'sampling', Sampling>
  | Nested<'wanted', Wanted>
  | Nested<'serving', Serving>
  | Nested<'toolChoice', ToolChoice>
  | Nested<'reasoning', Reasoning>

/** What becomes of it in a body. `provider`: the encoder leaves it to the provider, see `omitted.test.ts` there. */
type Fate = 'written' | `noted ${string}` | `refused ${string}` | 'provider'

const TARGETS = [
  [chatCompletions, 'gpt-5.4'],
  [responses, 'gpt-5.4'],
  [messages, 'another-vendor'],
  [generateContent, 'gemini-3-pro'],
] as const satisfies readonly (readonly [ChatFormat, string])[]

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } }
const TOOLS: readonly Tool[] = ['weather', 'time'].map(name => ({ name, parameters: SCHEMA }))
const PLAIN: Chat = {
  system: ['Be kind.'],
  turns: [{ role: 'user', blocks: [{ type: 'text', text: 'hi' }] }],
  tools: TOOLS,
  toolChoice: { mode: 'auto' },
  sampling: {},
}
const MORE = { role: 'user', blocks: [{ type: 'text', text: 'more' }] } as const

/** The field as a client sets it, then its fate in chat completions, responses, messages and generate-content. */
const TABLE = {
  system: [{ system: ['Be brief.'] }, 'written', 'written', 'written', 'written'],
  systemMarks: [
    { systemMarks: [{ breakpoint: true }] },
    ...(['noted prompt_cache_breakpoint', 'written', 'written', 'noted prompt_cache_breakpoint'] as const),
  ],
  turns: [{ turns: [...PLAIN.turns, MORE] }, 'written', 'written', 'written', 'written'],
  tools: [{ tools: TOOLS.slice(1) }, 'written', 'written', 'written', 'written'],
  'toolChoice.mode': [{ toolChoice: { mode: 'any' } }, 'written', 'written', 'written', 'written'],
  'toolChoice.names': [
    { toolChoice: { mode: 'named', names: ['time'] } },
    ...(['written', 'written', 'written', 'written'] as const),
  ],
  'toolChoice.parallel': [
    { toolChoice: { mode: 'auto', parallel: false } },
    ...(['written', 'written', 'written', 'noted parallel_tool_calls'] as const),
  ],
  'sampling.temperature': [{ sampling: { temperature: 0.5 } }, 'written', 'written', 'written', 'written'],
  'sampling.topP': [{ sampling: { topP: 0.5 } }, 'written', 'written', 'written', 'written'],
  'sampling.topK': [{ sampling: { topK: 40 } }, 'noted top_k', 'noted top_k', 'written', 'written'],
  'sampling.seed': [{ sampling: { seed: 7 } }, 'written', 'noted seed', 'noted seed', 'written'],
  'sampling.stop': [{ sampling: { stop: ['END'] } }, 'written', 'refused stop', 'written', 'written'],
  'sampling.frequencyPenalty': [
    { sampling: { frequencyPenalty: 0.5 } },
    ...(['written', 'noted frequency_penalty', 'noted frequency_penalty', 'written'] as const),
  ],
  'sampling.presencePenalty': [
    { sampling: { presencePenalty: 0.5 } },
    ...(['written', 'noted presence_penalty', 'noted presence_penalty', 'written'] as const),
  ],
  maxOutput: [{ maxOutput: 100 }, 'written', 'written', 'written', 'written'],
  'reasoning.mode': [
    { reasoning: { mode: 'on' } },
    ...(['noted reasoning_effort', 'noted reasoning_effort', 'written', 'written'] as const),
  ],
  'reasoning.effort': [{ reasoning: { mode: 'on', effort: 'high' } }, 'written', 'written', 'written', 'written'],
  'reasoning.budget': [{ reasoning: { mode: 'on', budget: 9000 } }, 'written', 'written', 'written', 'written'],
  responseFormat: [{ responseFormat: { type: 'schema', schema: SCHEMA } }, 'written', 'written', 'written', 'written'],
  user: [{ user: 'ada' }, 'written', 'written', 'written', 'noted user'],
  'wanted.choices': [{ wanted: { choices: 2 } }, 'refused n', 'refused n', 'refused n', 'refused n'],
  'wanted.logprobs': [{ wanted: { logprobs: { top: 2 } } }, 'written', 'written', 'refused logprobs', 'written'],
  'wanted.audio': [{ wanted: { audio: {} } }, 'refused audio', 'refused audio', 'refused audio', 'refused audio'],
  'serving.verbosity': [
    { serving: { verbosity: 'low' } },
    ...(['written', 'written', 'noted verbosity', 'noted verbosity'] as const),
  ],
  'serving.tier': [{ serving: { tier: 'flex' } }, 'written', 'written', 'noted service_tier', 'written'],
  'serving.cacheKey': [
    { serving: { cacheKey: 'k' } },
    ...(['written', 'written', 'noted prompt_cache_key', 'noted prompt_cache_key'] as const),
  ],
  'serving.cacheRetention': [
    { serving: { cacheRetention: '24h' } },
    ...(['written', 'written', 'noted prompt_cache_retention', 'noted prompt_cache_retention'] as const),
  ],
  'serving.cacheOptions': [
    { serving: { cacheOptions: { mode: 'implicit' } } },
    ...(['written', 'written', 'noted prompt_cache_options', 'noted prompt_cache_options'] as const),
  ],
  // Only an answer that is kept may have labels there.
  'serving.metadata': [
    { serving: { metadata: { job: '7' } } },
    ...(['noted metadata', 'written', 'noted metadata', 'noted metadata'] as const),
  ],
  'serving.kept': [{ serving: { kept: true } }, 'noted store', 'noted store', 'noted store', 'noted store'],
  vendorOnly: [{ vendorOnly: ['mcp_servers'] }, 'provider', 'provider', 'provider', 'provider'],
  vendorHints: [{ vendorHints: ['logit_bias'] }, 'provider', 'provider', 'provider', 'provider'],
  // For layers that answer in a vendor's place.
  unread: [{ unread: true }, 'provider', 'provider', 'provider', 'provider'],
} as const satisfies Record<Field, readonly [Partial<Chat>, Fate, Fate, Fate, Fate]>

const bodyOf = (format: ChatFormat, chat: Chat, model: string, noted: string[] = []): JsonObject =>
  format.encodePrompt(chat, { model, stream: false, note: field => noted.push(field) })

function fateOf(format: ChatFormat, model: string, asks: Partial<Chat>): string {
  const noted: string[] = []
  const plain = JSON.stringify(bodyOf(format, PLAIN, model))
  try {
    const written = JSON.stringify(bodyOf(format, { ...PLAIN, ...asks }, model, noted)) !== plain
    return [...(written ? ['written'] : []), ...noted.map(field => `noted ${field}`)].join(', ') || 'lost'
  } catch (error) {
    if (isGatewayError(error)) return `refused ${error.param}`
    throw error
  }
}

for (const [at, [format, model]] of TARGETS.entries())
  for (const [field, [asks, ...fates]] of Object.entries(TABLE)) {
    const fate = fates[at]
    test(`${field} for ${format.name}: ${fate}`, () => {
      // What a provider says of it is no business of the encoder.
      assert.is(fateOf(format, model, asks), fate === 'provider' ? 'lost' : fate)
    })
  }

const notes = (format: ChatFormat, model: string, asks: Partial<Chat>): string => {
  const noted: string[] = []
  bodyOf(format, { ...PLAIN, ...asks }, model, noted)
  return noted.join(' ')
}

test('defaults ask for nothing', () => {
  const idle: Partial<Chat> = {
    sampling: { temperature: 1, topP: 1, frequencyPenalty: 0, presencePenalty: 0 },
    reasoning: { mode: 'auto' },
    toolChoice: { mode: 'auto', parallel: true },
    serving: { tier: 'auto' },
  }
  for (const [format] of TARGETS) assert.is(notes(format, 'claude-opus-4-8', idle), '', format.name)
})

test('what a model refuses is noted as what its format has no field for', () => {
  const asks: Partial<Chat> = { sampling: { temperature: 0.5, topP: 0.9, topK: 4 } }
  assert.is(notes(messages, 'claude-opus-4-8', asks), 'temperature top_p top_k')
  assert.is(notes(messages, 'claude-sonnet-4-5', asks), 'top_p')
  assert.is(notes(messages, 'claude-sonnet-4-5', { ...asks, reasoning: { mode: 'on' } }), 'temperature top_p top_k')
})

test('thinking that cannot be asked for is noted, also where it cannot be turned off', () => {
  const loud = { reasoning: { mode: 'on', effort: 'high' } } as const
  const quiet = { reasoning: { mode: 'off' } } as const
  assert.is(notes(messages, 'claude-3-haiku', loud), 'reasoning_effort')
  assert.is(notes(messages, 'claude-3-haiku', quiet), '')
  assert.is(notes(messages, 'claude-sonnet-5-5', quiet), 'reasoning_effort')
  assert.is(notes(generateContent, 'gemini-2.0-flash', loud), 'reasoning_effort')
  assert.is(notes(chatCompletions, 'a-model', quiet), 'reasoning_effort')
  assert.is(notes(responses, 'a-model', quiet), 'reasoning_effort')
})

test('a forced tool and a beginning that a model refuses are noted', () => {
  const forced = { toolChoice: { mode: 'any' } } as const
  assert.is(notes(messages, 'claude-sonnet-5-5', forced), 'tool_choice')
  assert.is(notes(messages, 'claude-opus-4-8', forced), '')
  const begun: Partial<Chat> = {
    turns: [...PLAIN.turns, { role: 'assistant', blocks: [{ type: 'text', text: 'Once' }] }],
  }
  assert.is(notes(messages, 'claude-opus-4-8', begun), 'messages[-1]')
  assert.is(notes(messages, 'claude-opus-4', begun), '')
})

test('labels of an answer that is kept are written with the wish to keep it', () => {
  const asks: Partial<Chat> = { serving: { kept: true, metadata: { job: '7' } } }
  assert.is(notes(chatCompletions, 'm', asks), '')
  assert.is(notes(responses, 'm', asks), 'store')
})

test('strict tools and the detail of images are noted where a model has no words for them', () => {
  const tools = TOOLS.map(tool => ({ ...tool, strict: true }))
  assert.is(notes(messages, 'claude-sonnet-4-5', { tools }), '')
  assert.is(notes(messages, 'claude-opus-4', { tools }), 'tools.strict')
  const image = (detail: string): Partial<Chat> => ({
    turns: [{ role: 'user', blocks: [{ type: 'image', source: { url: 'https://example.com/a.png' }, detail }] }],
  })
  assert.is(notes(messages, 'm', image('low')), 'image.detail')
  assert.is(notes(messages, 'm', image('auto')), '')
  assert.is(notes(generateContent, 'gemini-2.5-pro', image('low')), 'image.detail')
  assert.is(notes(generateContent, 'gemini-3-pro', image('low')), '')
})

test('a text to stop at is never left out', () => {
  const asks = (stop: string[]): Partial<Chat> => ({ sampling: { stop } })
  assert.is(fateOf(messages, 'm', asks(['END', '\n'])), 'refused stop')
  assert.is(fateOf(messages, 'm', asks(['END', ''])), 'written')
})

// --- fields that are read by their own dialect's vendors alone

const hints = ({ decodePrompt }: ChatFormat, body: JsonObject): string =>
  (decodePrompt(body).vendorHints ?? []).join(' ')

const SAID = [{ role: 'user', content: 'hi' }]

test('what only vendors of chat completions have words for is a hint', () => {
  const own = { model: 'm', stream: true, stream_options: {}, n: 1, top_k: 4, user: 'ada', session_id: 's' }
  assert.is(hints(chatCompletions, { ...own, messages: SAID }), '')
  const asked = { logit_bias: { 50256: -100 }, prediction: { type: 'content', content: 'x' }, min_p: 0.1 }
  assert.is(hints(chatCompletions, { ...asked, messages: SAID }), 'logit_bias prediction min_p')
})

const EXPLICIT = { prompt_cache_options: { mode: 'explicit' } }
const MARK = { prompt_cache_breakpoint: { mode: 'explicit' } }

test('where marks of what a vendor is to cache are lost, the mode that goes by them is, too', () => {
  const marked = (type: string) => [{ role: 'user', content: [{ type, text: 'hi', ...MARK }] }]
  const toChat = (body: JsonObject): [unknown, string] => {
    const noted: string[] = []
    const written = bodyOf(
      chatCompletions,
      responses.decodePrompt({ input: marked('input_text'), ...body }),
      'm',
      noted,
    )
    return [written.prompt_cache_options, noted.join(' ')]
  }
  assert.equal(toChat(EXPLICIT), [undefined, 'prompt_cache_breakpoint prompt_cache_options'])
  const implicit = { mode: 'implicit' }
  assert.equal(toChat({ prompt_cache_options: implicit }), [implicit, 'prompt_cache_breakpoint'])
  const kept = bodyOf(responses, chatCompletions.decodePrompt({ messages: marked('text'), ...EXPLICIT }), 'm')
  assert.equal(kept.prompt_cache_options, EXPLICIT.prompt_cache_options)
})

test("marks of a model's own words are noted for responses vendors, and the mode goes where there are no others", () => {
  const toResponses = (...turns: JsonObject[]): [unknown, string] => {
    const noted: string[] = []
    const body = bodyOf(responses, chatCompletions.decodePrompt({ messages: turns, ...EXPLICIT }), 'm', noted)
    return [body.prompt_cache_options, noted.join(' ')]
  }
  const turn = (role: string, more = {}) => ({ role, content: [{ type: 'text', text: 'hi', ...more }] })
  const said = turn('assistant', MARK)
  const lost = 'prompt_cache_breakpoint prompt_cache_options'
  assert.equal(toResponses(turn('user'), said, turn('user')), [undefined, lost])
  assert.equal(toResponses(turn('user', MARK), said, turn('user')), [EXPLICIT.prompt_cache_options, lost.split(' ')[0]])
})

test("marks in the messages format's words are noted where no vendor of it is asked", () => {
  const content = [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }]
  const asks = chatCompletions.decodePrompt({ messages: [{ role: 'user', content }] })
  assert.is(notes(responses, 'm', asks), 'cache_control')
  assert.is(notes(generateContent, 'm', asks), 'cache_control')
  assert.is(notes(messages, 'm', asks), '')
})

test('values that ask for nothing are no hints, and neither are names that no vendor would choose', () => {
  const idle = { logit_bias: {}, prediction: null, plugins: [], safe_prompt: false, extra: '' }
  assert.is(hints(chatCompletions, { ...idle, messages: SAID }), '')
  assert.is(hints(chatCompletions, { 'tell me': 1, 'sk-key': 1, [`a${'b'.repeat(64)}`]: 1, messages: SAID }), '')
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`field_${i}`, 1]))
  assert.is(chatCompletions.decodePrompt({ ...many, messages: SAID }).vendorHints?.length, 32)
})

test('marks of what is to be cached are a hint of the messages format', () => {
  const mark = { cache_control: { type: 'ephemeral' } }
  const text = { type: 'text', text: 'hi', ...mark }
  const tool = { name: 't', input_schema: { type: 'object' }, ...mark }
  const said = { max_tokens: 9, messages: SAID }
  assert.is(hints(messages, { ...said, thinking: { type: 'disabled' }, metadata: { user_id: 'ada' } }), '')
  for (const marked of [{ system: [text] }, { tools: [tool] }, { messages: [{ role: 'user', content: [text] }] }, mark])
    assert.is(hints(messages, { ...said, ...marked }), 'cache_control')
  assert.is(hints(messages, { ...said, context_management: { edits: [{ type: 'x' }] } }), 'context_management')
})

test('hints of the responses format and of generate-content have their paths', () => {
  assert.is(hints(responses, { input: 'hi', max_tool_calls: 3, truncation: 'disabled' }), 'max_tool_calls')
  assert.is(hints(responses, { input: 'hi', truncation: 'auto' }), 'truncation')
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]
  const generationConfig = { temperature: 0, media_resolution: 'MEDIA_RESOLUTION_LOW' }
  assert.is(
    hints(generateContent, { contents, generationConfig, safety_settings: [{ category: 'x' }], session_id: 's' }),
    'safetySettings generationConfig.mediaResolution',
  )
})

test('a moderation of the answer shows in it, so only a vendor of the own dialect can be asked', () => {
  const moderation = { model: 'omni', policy: {} }
  assert.equal(chatCompletions.decodePrompt({ messages: SAID, moderation }).vendorOnly, ['moderation'])
  assert.equal(responses.decodePrompt({ input: 'hi', moderation }).vendorOnly, ['moderation'])
})

test.run()
