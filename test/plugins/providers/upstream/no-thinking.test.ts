import { type ChatFormat, type JsonObject, promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import chatCompletionsPlugin from '../../../../plugins/providers/chat-completions.ts'
import { aliases } from '../../../../plugins/providers/index.ts'
import { testHost } from '../../../contracts/host.ts'
import { waiting } from '../../../contracts/waiting.ts'
import { startUpstream } from '../../../support/upstream.ts'

/** Clients that ask for no thinking, before vendors that each have a switch of their own for it. */

const upstream = await startUpstream()
test.before.each(() => upstream.clear())
test.after(() => upstream.close())

const asked = [{ role: 'user', content: 'Hi' }]
/** No thinking, in two dialects; the vendor speaks the first one. */
const OFF = {
  own: { format: chatCompletions, body: { messages: asked, reasoning_effort: 'none' } },
  other: { format: messages, body: { max_tokens: 9, messages: asked, thinking: { type: 'disabled' } } },
} as const

/** What of the body that this vendor gets is about thinking. */
async function told(vendor: string, model: string, client: keyof typeof OFF): Promise<JsonObject> {
  const { format, body } = OFF[client]
  return (await sent(vendor, format, { ...body, model })).said
}

async function sent(vendor: string, format: ChatFormat, body: JsonObject) {
  const host = testHost('provider', { name: vendor })
  const given = { ...aliases[vendor]?.options, url: upstream.url, api_key: 'key-1234' }
  const provider = host.apply(chatCompletionsPlugin, given)
  const prompt = promptOf(format, Buffer.from(JSON.stringify(body)), body)
  const noted: string[] = []
  try {
    await provider.complete({
      prompt,
      model: undefined,
      stream: false,
      key: provider.keys?.()[0]?.key,
      requestId: 'r1',
      headers: {},
      note: field => noted.push(field),
      ...waiting(),
    })
  } finally {
    await host.dispose()
  }
  const { thinking, enable_thinking, reasoning_effort } = upstream.calls.at(-1)?.body ?? {}
  const words = { thinking, enable_thinking, reasoning_effort }
  return { said: Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined)), noted }
}

const disabled = { thinking: { type: 'disabled' } }
const CASES: readonly [string, string, JsonObject][] = [
  ['deepseek', 'deepseek-v4-flash', disabled],
  ['zai', 'glm-4.7-flash', disabled],
  ['zhipu', 'glm-4.6', disabled],
  ['moonshot', 'kimi-k2.6', disabled],
  // It always thinks, and the least is meant.
  ['moonshot', 'kimi-k3', { reasoning_effort: 'low' }],
  ['qwen', 'qwen3.6-flash', { enable_thinking: false }],
  ['qwen', 'qwq-plus', {}],
  ['siliconflow', 'zai-org/GLM-4.6', { enable_thinking: false }],
  ['mistral', 'mistral-small-latest', { reasoning_effort: 'none' }],
  ['cohere', 'command-r7b-12-2024', { reasoning_effort: 'none' }],
  ['xai', 'grok-4.5', { reasoning_effort: 'low' }],
  ['openai', 'gpt-5.4', { reasoning_effort: 'none' }],
]

for (const [vendor, model, said] of CASES)
  for (const client of ['own', 'other'] as const)
    test(`${vendor}, ${model}: the vendor's own word, for a client of ${client === 'own' ? 'its' : 'another'} dialect`, async () => {
      assert.equal(await told(vendor, model, client), said)
    })

test('a model of which nothing is known is told nothing by a translated prompt', async () => {
  for (const [vendor, model] of [
    ['groq', 'llama-3.3-70b-versatile'],
    ['zai', 'glm-4-plus'],
    ['xai', 'grok-4-0709'],
  ] as const)
    assert.equal(await told(vendor, model, 'other'), {}, vendor)
})

const THINKERS = [
  ['deepseek', 'deepseek-v4-flash'],
  ['moonshot', 'kimi-k2.6'],
] as const

test('a vendor that wants the reasoning of each call does not think where another vendor made one', async () => {
  const call = { type: 'tool_use', id: 'c', name: 'f', input: {} }
  const turns = (...content: readonly object[]) => [
    ...asked,
    { role: 'assistant', content },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'x' }] },
  ]
  const thought = (signature: string) => ({ type: 'thinking', thinking: 'hm', signature })
  const thinking = { type: 'enabled', budget_tokens: 2000 }
  for (const [vendor, model] of THINKERS) {
    const body = { model, max_tokens: 4000, thinking }
    const bare = await sent(vendor, messages, { ...body, messages: turns(thought('by-claude'), call) })
    assert.equal(bare, { said: disabled, noted: ['thinking'] }, vendor)
    // It thinks by itself, too.
    const silent = await sent(vendor, messages, { model, max_tokens: 4000, messages: turns(call) })
    assert.equal(silent, { said: disabled, noted: [] }, vendor)
    const own = await sent(vendor, messages, { ...body, messages: turns(thought(''), call) })
    assert.equal(own.said.thinking, { type: 'enabled' }, vendor)
    assert.equal(own.noted, [], vendor)
  }
})

test('so it is for a client of its own dialect, whatever it asks for', async () => {
  const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }]
  const history = (more: object) => [
    ...asked,
    { role: 'assistant', content: null, tool_calls, ...more },
    { role: 'tool', tool_call_id: 'c', content: 'x' },
  ]
  for (const [vendor, model] of THINKERS) {
    const body = { model, thinking: { type: 'enabled' } }
    const bare = await sent(vendor, chatCompletions, { ...body, messages: history({}) })
    assert.equal(bare, { said: disabled, noted: ['thinking'] }, vendor)
    const own = await sent(vendor, chatCompletions, { ...body, messages: history({ reasoning_content: 'hm' }) })
    assert.equal(own, { said: { thinking: { type: 'enabled' } }, noted: [] }, vendor)
  }
  const plain = await sent('zai', chatCompletions, { model: 'glm-4.6', messages: history({}) })
  assert.equal(plain, { said: {}, noted: [] })
})

test.run()
