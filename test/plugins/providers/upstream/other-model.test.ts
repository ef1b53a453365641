import { type ChatFormat, type JsonObject, type Plugin, promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import chatVendor from '../../../../plugins/providers/chat-completions.ts'
import contentVendor from '../../../../plugins/providers/generate-content.ts'
import { aliases } from '../../../../plugins/providers/index.ts'
import messagesVendor from '../../../../plugins/providers/messages.ts'
import responsesVendor from '../../../../plugins/providers/responses.ts'
import { bench, failure } from '../vendor-faults.ts'

/** Bodies of a vendor's own format that were written for one model and go to another one, such as a fallback's. */

interface Sent {
  /** As it arrived. */
  readonly raw: string
  readonly body: JsonObject
  readonly noted: readonly string[]
}

interface Route {
  readonly format: ChatFormat
  readonly plugin: Plugin
  readonly options?: JsonObject
}

const MESSAGES: Route = { format: messages, plugin: messagesVendor }
const CHAT: Route = { format: chatCompletions, plugin: chatVendor, options: { ...aliases.openai?.options } }
const RESPONSES: Route = { format: responses, plugin: responsesVendor }
const CONTENT: Route = { format: generateContent, plugin: contentVendor }

/** What the vendor is sent when `model` is asked. A client of generate-content names its own in the path. */
async function sent({ format, plugin, options = {} }: Route, body: JsonObject, model: string): Promise<Sent> {
  const noted: string[] = []
  const { path: named, ...given } = { path: undefined, ...body }
  const raw = JSON.stringify(given)
  const head = {
    path: `/v1beta/models/${named}:generateContent`,
    params: {},
    query: new URLSearchParams(),
    headers: {},
  }
  const prompt = promptOf(format, Buffer.from(raw), given, ...(named === undefined ? [] : [head]))
  let arrived = ''
  const subject = { plugin, format, body: given, options: ({ url }: { url: string }) => ({ ...options, url }) }
  await bench(subject, async ({ provider, call, upstream }) => {
    const note = (field: string): void => void noted.push(field)
    await provider.complete(call(given, { prompt, model, note }))
    arrived = upstream.calls.at(-1)?.raw.toString() ?? ''
  })
  return { raw: arrived, body: JSON.parse(arrived), noted }
}

const SAID = [{ role: 'user', content: 'hi' }]
const ADAPTIVE = {
  model: 'claude-opus-4-8',
  max_tokens: 100_000,
  messages: SAID,
  thinking: { type: 'adaptive', display: 'omitted' },
  output_config: { effort: 'xhigh' },
}

test('a fallback that thinks by a budget is given one, below its own cap', async () => {
  const { body, noted } = await sent(MESSAGES, ADAPTIVE, 'claude-haiku-4-5')
  assert.equal(body, {
    model: 'claude-haiku-4-5',
    max_tokens: 64_000,
    messages: SAID,
    thinking: { type: 'enabled', budget_tokens: 57_600, display: 'omitted' },
  })
  assert.equal(noted, [])
})

test('the bytes of a body stay as they are where its client named the model, also with a provider in front', async () => {
  const { raw } = await sent(MESSAGES, ADAPTIVE, ADAPTIVE.model)
  assert.is(raw, JSON.stringify(ADAPTIVE))
  const odd = { ...ADAPTIVE, model: 'claude-haiku-4-5' }
  assert.is((await sent(MESSAGES, odd, odd.model)).raw, JSON.stringify(odd))
  const routed = await sent(MESSAGES, { ...odd, model: `anthropic/${odd.model}` }, odd.model)
  assert.is(routed.raw, JSON.stringify(odd))
})

test('nothing but the model changes for one that nobody knows, or that takes the body as it is', async () => {
  for (const model of ['deepseek-v4', 'claude-opus-4-7', 'claude-opus-5'])
    assert.equal(await sent(MESSAGES, ADAPTIVE, model), {
      raw: JSON.stringify({ ...ADAPTIVE, model }),
      body: { ...ADAPTIVE, model },
      noted: [],
    })
})

const budget = (budget_tokens: number) => ({ type: 'enabled', budget_tokens })
const forced = { tools: [{ name: 'f', input_schema: { type: 'object' } }], tool_choice: { type: 'any' } }
/** What of a body changes for a model, and what is noted. */
const FITTED: readonly [
  title: string,
  model: string,
  body: JsonObject,
  change: JsonObject,
  noted: readonly string[],
][] = [
  [
    'a budget becomes an effort',
    'claude-opus-4-8',
    { thinking: budget(20_000), output_config: { format: { type: 'json_schema', schema: {} } } },
    {
      thinking: { type: 'adaptive' },
      output_config: { format: { type: 'json_schema', schema: {} }, effort: 'high' },
    },
    [],
  ],
  ['a budget stays where the model takes one', 'claude-sonnet-4-6', { thinking: budget(2000) }, {}, []],
  [
    'an effort alone does not make a model think',
    'claude-haiku-4-5',
    { output_config: { effort: 'high' } },
    { output_config: undefined },
    ['output_config.effort'],
  ],
  [
    'an effort gets the word of the model',
    'claude-opus-4-6',
    { thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } },
    { output_config: { effort: 'max' } },
    [],
  ],
  ['a word that nobody knows is left to the vendor', 'claude-opus-5', { output_config: { effort: 'extreme' } }, {}, []],
  [
    'a model that cannot think is not asked to',
    'claude-3-haiku',
    { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    { thinking: undefined, output_config: undefined, max_tokens: 4096 },
    ['thinking', 'output_config.effort'],
  ],
  ['what is off stays so', 'claude-haiku-4-5', { thinking: { type: 'disabled' } }, {}, []],
  [
    'what cannot be off thinks little',
    'claude-sonnet-5-5',
    { thinking: { type: 'disabled' } },
    { thinking: undefined, output_config: { effort: 'low' } },
    ['thinking'],
  ],
  [
    'sampling that the model refuses goes',
    'claude-opus-5',
    { temperature: 0.2, top_p: 1, top_k: 5 },
    { temperature: undefined, top_p: undefined, top_k: undefined },
    ['temperature', 'top_k'],
  ],
  [
    'of two settings of sampling one stays',
    'claude-haiku-4-5',
    { temperature: 0.2, top_p: 0.5 },
    { top_p: undefined },
    ['top_p'],
  ],
  [
    'a forced tool comes before thinking',
    'claude-opus-4-7',
    { thinking: { type: 'adaptive' }, ...forced },
    { thinking: { type: 'disabled' } },
    ['thinking'],
  ],
  [
    'a tool cannot be forced on what always thinks',
    'claude-sonnet-5-5',
    forced,
    { tool_choice: { type: 'auto' } },
    ['tool_choice'],
  ],
  [
    'edits that need thinking go with it',
    'claude-3-haiku',
    {
      thinking: { type: 'adaptive' },
      context_management: { edits: [{ type: 'clear_thinking_20251015' }, { type: 'clear_tool_uses_20250919' }] },
    },
    { thinking: undefined, max_tokens: 4096, context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } },
    ['thinking'],
  ],
  [
    'the beginning of an answer goes',
    'claude-opus-5',
    { messages: [...SAID, { role: 'assistant', content: 'Once' }] },
    { messages: SAID },
    ['messages[-1]'],
  ],
  [
    'a tool is no longer strict',
    'claude-sonnet-4-20250514',
    { tools: [{ name: 'f', input_schema: { type: 'object' }, strict: true }] },
    { tools: [{ name: 'f', input_schema: { type: 'object' } }] },
    ['tools.strict'],
  ],
]

for (const [title, model, given, change, noted] of FITTED)
  test(`${title}: ${model}`, async () => {
    const body = { model: 'claude-of-the-client', max_tokens: 8000, messages: SAID, ...given }
    const { body: arrived, noted: told } = await sent(MESSAGES, body, model)
    assert.equal(arrived, JSON.parse(JSON.stringify({ ...body, model, ...change })))
    assert.equal(told, noted)
  })

test('an answer that the model cannot be held to is refused by its field', async () => {
  const format = { type: 'json_schema', schema: { type: 'object' } }
  const body = { ...ADAPTIVE, output_config: { format } }
  const error = await failure(sent(MESSAGES, body, 'claude-sonnet-4-20250514'))
  assert.equal([error.reason, error.param], ['unsayable', 'output_config.format'])
})

test('a chat model that does not reason is asked for no effort and no verbosity', async () => {
  const body = { model: 'gpt-5.4', messages: SAID, reasoning_effort: 'high', verbosity: 'low' }
  for (const model of ['gpt-4.1', 'gpt-4o-mini', 'gpt-3.5-turbo', 'chatgpt-4o-latest', 'openai/gpt-4.1'])
    assert.equal(await sent(CHAT, body, model), {
      raw: JSON.stringify({ model, messages: SAID }),
      body: { model, messages: SAID },
      noted: ['reasoning_effort', 'verbosity'],
    })
  assert.equal((await sent(CHAT, body, 'gpt-5.2')).body, { ...body, model: 'gpt-5.2' })
})

test('a responses model that does not reason gets nothing about it', async () => {
  const text = { type: 'text' }
  const thought = { type: 'reasoning', summary: [], encrypted_content: 'x' }
  const message = { role: 'user', content: 'hi' }
  const body = {
    model: 'gpt-5.4',
    input: [message, thought, message],
    reasoning: { effort: 'high', summary: 'auto' },
    include: ['reasoning.encrypted_content', 'web_search_call.results'],
    text: { format: text, verbosity: 'low' },
    store: false,
  }
  const { body: arrived, noted } = await sent(RESPONSES, body, 'gpt-4.1')
  const { reasoning: _, ...rest } = body
  assert.equal(arrived, {
    ...rest,
    model: 'gpt-4.1',
    input: [message, message],
    include: ['web_search_call.results'],
    text: { format: text },
  })
  assert.equal(noted, ['reasoning', 'text.verbosity'])
  assert.equal((await sent(RESPONSES, body, 'gpt-5.2')).body, { ...body, model: 'gpt-5.2' })
})

test("a translated prompt asks a model that does not reason for none, and takes no other's", async () => {
  const { model: _, ...asked } = ADAPTIVE
  const body = { ...asked, thinking: { type: 'enabled', budget_tokens: 2000 }, output_config: undefined }
  for (const [route, plain] of [
    [CHAT, { ...CHAT, options: {} }],
    [RESPONSES, RESPONSES],
  ] as const)
    for (const { plugin, options } of [route, plain]) {
      const vendor = { format: messages, plugin, ...(options && { options }) }
      const { body: arrived, noted } = await sent(vendor, body, 'gpt-4.1')
      assert.equal([arrived.reasoning_effort, arrived.reasoning, arrived.include], [undefined, undefined, undefined])
      assert.equal(noted, ['thinking'])
      const thinks = (await sent(vendor, body, 'gpt-5.2')).body
      assert.ok(thinks.reasoning_effort === 'low' || thinks.reasoning)
      const off = await sent(vendor, { ...body, thinking: { type: 'disabled' } }, 'gpt-4.1')
      assert.equal(off.noted, [])
    }
})

test('Gemini models are asked to think in their own words', async () => {
  const said = { path: 'gemini-of-the-client', contents: [{ parts: [{ text: 'hi' }] }] }
  const asked = async (thinkingConfig: JsonObject, model: string) => {
    const body = { ...said, generationConfig: { maxOutputTokens: 1000, thinkingConfig } }
    const { body: arrived, noted } = await sent(CONTENT, body, model)
    const { generationConfig: config } = arrived as { generationConfig: JsonObject }
    assert.is(config.maxOutputTokens, 1000)
    return [config.thinkingConfig, noted]
  }
  const level = { thinkingLevel: 'HIGH', includeThoughts: true }
  assert.equal(await asked(level, 'gemini-3.1-flash-lite'), [level, []])
  assert.equal(await asked(level, 'gemini-2.5-flash'), [{ thinkingBudget: 600, includeThoughts: true }, []])
  assert.equal(await asked(level, 'gemini-2.0-flash'), [undefined, ['generationConfig.thinkingConfig']])
  assert.equal(await asked(level, 'a-model'), [level, []])
  assert.equal(await asked({ thinkingBudget: 0 }, 'gemini-2.0-flash'), [undefined, []])
  assert.equal(await asked({ thinkingBudget: 0 }, 'gemini-2.5-pro'), [{ thinkingBudget: 128 }, []])
  assert.equal(await asked({ thinkingBudget: -1 }, 'gemini-2.5-pro'), [{ thinkingBudget: -1 }, []])
  assert.equal(await asked({ thinkingBudget: 20_000 }, 'gemini-3-pro'), [{ thinkingLevel: 'high' }, []])
  assert.equal(await asked({ includeThoughts: true }, 'gemini-3-pro'), [{ includeThoughts: true }, []])
})

test.run()
