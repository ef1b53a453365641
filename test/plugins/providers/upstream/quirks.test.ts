import { isProviderError, type JsonObject } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { aliases } from '../../../../plugins/providers/index.ts'
import { patched } from '../../../../plugins/providers/upstream/patches.ts'
import { patchesFor } from '../../../../plugins/providers/upstream/quirks.ts'
import { type Quirks, quirksSchema } from '../../../../plugins/providers/upstream/quirks-schema.ts'

const quirksOf = (vendor: string): Quirks => quirksSchema.parse(aliases[vendor]?.options.quirks)

/** What arrives at a vendor, of the fields that were sent or changed. */
const sent = (vendor: string, body: JsonObject, stream = false): JsonObject => {
  const target = { model: undefined, stream }
  return patched(body, patchesFor(body, target, quirksOf(vendor)))
}

test('without quirks, these and no other fields are changed', () => {
  const body = {
    model: 'm',
    messages: [{ role: 'developer', content: 'x', name: 'n' }],
    stream: true,
    stream_options: { include_obfuscation: false },
    max_tokens: 1,
    max_completion_tokens: 2,
    temperature: 9,
    tools: [],
    tool_choice: 'auto',
    seed: 1,
    user: 'u',
    metadata: { session_id: 'kept' },
    session_id: 'a',
    thread_id: 'b',
    conversation_id: 'c',
    unheard_of: null,
  }
  assert.equal(patchesFor(body, { model: 'other', stream: true }, {}), {
    model: '"other"',
    stream_options: '{"include_obfuscation":false,"include_usage":true}',
    session_id: undefined,
    thread_id: undefined,
    conversation_id: undefined,
  })
})

test('a body that needs nothing is left alone', () => {
  const body = { model: 'm', messages: [], stream: true, stream_options: { include_usage: true } }
  assert.equal(patchesFor(body, { model: 'm', stream: true }, {}), {})
  assert.equal(patchesFor({ model: 'm' }, { model: undefined, stream: false }, {}), {})
})

test('stream follows the call', () => {
  const on = patchesFor({ model: 'm' }, { model: 'm', stream: true }, {})
  assert.equal(on, { stream: 'true', stream_options: '{"include_usage":true}' })
  const off = patchesFor({ model: 'm', stream: true, stream_options: {} }, { model: 'm', stream: false }, {})
  assert.equal(off, { stream: undefined, stream_options: undefined })
})

const rows: readonly (readonly [title: string, vendor: string, body: JsonObject, arrives: JsonObject])[] = [
  [
    'openai keeps the developer role',
    'openai',
    { messages: [{ role: 'developer', content: '' }] },
    { messages: [{ role: 'developer', content: '' }] },
  ],
  [
    'openai keeps the old cap for old models',
    'openai',
    { model: 'gpt-4o', max_tokens: 5 },
    { model: 'gpt-4o', max_tokens: 5 },
  ],
  [
    'openai gets the new cap for reasoning models',
    'openai',
    { model: 'o4-mini', max_tokens: 5 },
    { model: 'o4-mini', max_completion_tokens: 5 },
  ],
  [
    'a cap under both names is sent once',
    'openai',
    { model: 'gpt-5', max_tokens: 5, max_completion_tokens: 6 },
    { model: 'gpt-5', max_completion_tokens: 6 },
  ],
  ['o3 takes no sampling', 'openai', { model: 'o3', temperature: 0, top_p: 1, stop: [] }, { model: 'o3' }],
  ['o1 may stop', 'openai', { model: 'o1', stop: 'x' }, { model: 'o1', stop: 'x' }],
  ['gpt-5 takes no temperature', 'openai', { model: 'gpt-5-mini', temperature: 0.2 }, { model: 'gpt-5-mini' }],
  [
    'gpt-5 chat does',
    'openai',
    { model: 'gpt-5-chat-latest', temperature: 0.2 },
    { model: 'gpt-5-chat-latest', temperature: 0.2 },
  ],
  [
    'gpt-5.1 takes one when it does not reason',
    'openai',
    { model: 'gpt-5.1', temperature: 0.2, reasoning_effort: 'none' },
    { model: 'gpt-5.1', temperature: 0.2, reasoning_effort: 'none' },
  ],
  [
    'gpt-5.1 takes none when it does',
    'openai',
    { model: 'gpt-5.1', temperature: 0.2, reasoning_effort: 'low' },
    { model: 'gpt-5.1', reasoning_effort: 'low' },
  ],
  [
    'gpt-5.4 does not reason with tools',
    'openai',
    { model: 'gpt-5.4', tools: [{}], reasoning_effort: 'high' },
    { model: 'gpt-5.4', tools: [{}], reasoning_effort: 'none' },
  ],
  [
    'github knows the same models by longer names',
    'github',
    { model: 'openai/gpt-5', max_tokens: 3, temperature: 1 },
    { model: 'openai/gpt-5', max_completion_tokens: 3 },
  ],
  [
    'deepseek has no developer role',
    'deepseek',
    {
      messages: [
        { role: 'developer', content: 'a' },
        { role: 'user', content: 'b' },
      ],
    },
    {
      messages: [
        { role: 'system', content: 'a' },
        { role: 'user', content: 'b' },
      ],
    },
  ],
  ['deepseek reads the old cap', 'deepseek', { max_completion_tokens: 7 }, { max_tokens: 7 }],
  ['an empty cap is no cap', 'deepseek', { max_completion_tokens: null }, {}],
  ['deepseek takes no seed', 'deepseek', { seed: 1, n: 1, logit_bias: {} }, {}],
  [
    'groq reads the new cap and no names',
    'groq',
    { max_tokens: 7, messages: [{ role: 'user', name: 'x', content: '' }] },
    { max_completion_tokens: 7, messages: [{ role: 'user', content: '' }] },
  ],
  [
    'cerebras gets reasoning back under its own name',
    'cerebras',
    { messages: [{ role: 'assistant', content: 'a', reasoning_content: 'r' }] },
    { messages: [{ reasoning: 'r', role: 'assistant', content: 'a' }] },
  ],
  [
    'mistral has its own words',
    'mistral',
    { model: 'mistral-large', seed: 4, tools: [{}], tool_choice: 'required', user: 'u', reasoning_effort: 'high' },
    { model: 'mistral-large', random_seed: 4, tools: [{}], tool_choice: 'any' },
  ],
  [
    'mistral small may reason',
    'mistral',
    { model: 'mistral-small-latest', reasoning_effort: 'high' },
    { model: 'mistral-small-latest', reasoning_effort: 'high' },
  ],
  ['mistral is at most 1.5 warm', 'mistral', { temperature: 2 }, { temperature: 1.5 }],
  [
    'xai may stop where it does not reason',
    'xai',
    { model: 'grok-4.20-0309-non-reasoning', stop: 'x', top_k: 1 },
    { model: 'grok-4.20-0309-non-reasoning', stop: 'x' },
  ],
  [
    'xai thinks as it likes where it has no word for it',
    'xai',
    { model: 'grok-4-0709', reasoning_effort: 'low' },
    { model: 'grok-4-0709' },
  ],
  [
    'newer groks are told how hard to think, in their words',
    'xai',
    { model: 'grok-4.5', reasoning_effort: 'max' },
    { model: 'grok-4.5', reasoning_effort: 'high' },
  ],
  ['kimi chooses its own warmth', 'moonshot', { model: 'kimi-k2.6', temperature: 0.3 }, { model: 'kimi-k2.6' }],
  [
    'older kimis do not',
    'moonshot',
    { model: 'kimi-k2-0905', temperature: 0.3 },
    { model: 'kimi-k2-0905', temperature: 0.3 },
  ],
  ['minimax is never quite cold', 'minimax', { temperature: 0 }, { temperature: 0.01 }],
  ['zai is at most 1 warm', 'zai', { temperature: 1.7 }, { temperature: 1 }],
  ['qwen takes no frequency penalty', 'qwen', { frequency_penalty: 1 }, {}],
  ['perplexity takes no tools', 'perplexity', { tools: [], tool_choice: 'auto', stop: null }, {}],
  ['ollama takes no tool choice', 'ollama', { tools: [{}], tool_choice: 'auto' }, { tools: [{}] }],
  [
    'empty tools go, with what needs them',
    'together',
    { tools: [], tool_choice: 'auto', parallel_tool_calls: true },
    {},
  ],
  [
    'a vendor we know nothing of gets all the rest',
    'custom',
    { seed: 1, user: 'u', novelty: 1 },
    { seed: 1, user: 'u', novelty: 1 },
  ],
]

/** What would show in the answer is never left out in silence. */
const refused: readonly (readonly [vendor: string, field: string, body: JsonObject])[] = [
  ['openai', 'stop', { model: 'o3', stop: 'x' }],
  ['openai', 'logprobs', { model: 'gpt-5.4', logprobs: true }],
  ['xai', 'stop', { model: 'grok-4-0709', stop: ['x'] }],
  ['perplexity', 'tools', { tools: [{}] }],
  ['ollama', 'tool_choice', { tools: [{}], tool_choice: 'required' }],
  ['deepseek', 'n', { n: 2 }],
  ['deepseek', 'response_format', { response_format: { type: 'json_schema' } }],
]
for (const [vendor, field, body] of refused)
  test(`${vendor} leaves ${field} to others where it cannot`, () => {
    let error: unknown
    try {
      sent(vendor, body)
    } catch (thrown) {
      error = thrown
    }
    assert.ok(isProviderError(error))
    assert.equal([error.reason, error.param], ['unsayable', field])
  })

for (const [title, vendor, body, arrives] of rows) test(title, () => assert.equal(sent(vendor, body), arrives))

test('usage is asked for where it must be, and not where it may not', () => {
  const options = (vendor: string, given?: JsonObject) =>
    sent(vendor, { stream: true, ...(given && { stream_options: given }) }, true).stream_options
  assert.equal(options('groq'), { include_usage: true })
  assert.equal(options('groq', { include_usage: false, x: 1 }), { include_usage: true, x: 1 })
  assert.is(options('openrouter'), undefined)
  assert.equal(options('openrouter', { x: 1 }), { x: 1 })
  assert.is(options('mistral', { include_usage: true }), undefined)
})

test('mistral gets short ids, and a call and its result still meet', () => {
  const { messages } = sent('mistral', {
    messages: [
      {
        role: 'assistant',
        tool_calls: [
          { id: 'call_abcdef', type: 'function' },
          { id: 'Ab3456789', type: 'function' },
        ],
      },
      { role: 'tool', tool_call_id: 'call_abcdef', content: '' },
      { role: 'tool', tool_call_id: 'Ab3456789', content: '' },
    ],
  }) as {
    messages: [{ tool_calls: [{ id: string }, { id: string }] }, { tool_call_id: string }, { tool_call_id: string }]
  }
  const [asked, first, second] = messages
  assert.match(asked.tool_calls[0].id, /^[A-Za-z0-9]{9}$/)
  assert.is(first.tool_call_id, asked.tool_calls[0].id)
  assert.is(asked.tool_calls[1].id, 'Ab3456789')
  assert.is(second.tool_call_id, 'Ab3456789')
})

test('openai gets no id that it finds too long, and its own stay as they are', () => {
  const long = (tool: string) => `call_of_another_vendor_whose_ids_name_tools_${tool}`
  const history = (ids: readonly string[]) => ({
    messages: [
      { role: 'assistant', tool_calls: ids.map(id => ({ id, type: 'function' })) },
      ...ids.map(id => ({ role: 'tool', tool_call_id: id, content: '' })),
    ],
  })
  const { messages } = sent('openai', history([long('a'), long('b'), 'call_1'])) as {
    messages: readonly [{ tool_calls: { id: string }[] }, ...{ tool_call_id: string }[]]
  }
  const [asked, ...results] = messages
  const ids = asked.tool_calls.map(({ id }) => id)
  assert.equal(
    results.map(({ tool_call_id: id }) => id),
    ids,
  )
  assert.is(new Set(ids).size, 3)
  assert.is(ids[2], 'call_1')
  assert.ok(ids.every(id => id.length <= 40))
  const own = history(['call_1', 'x'.repeat(40)])
  assert.equal(sent('openai', own), own)
})

test.run()
