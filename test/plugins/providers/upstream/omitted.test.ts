import { type ChatFormat, type Plugin, promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import chatVendor from '../../../../plugins/providers/chat-completions.ts'
import contentVendor from '../../../../plugins/providers/generate-content.ts'
import messagesVendor from '../../../../plugins/providers/messages.ts'
import responsesVendor from '../../../../plugins/providers/responses.ts'
import { bench, failure } from '../vendor-faults.ts'

/** What a client's body goes without on its way to a vendor, in the order in which it is noted. */
async function omitted(
  client: ChatFormat,
  body: Record<string, unknown>,
  plugin: Plugin,
  options: Record<string, unknown> = {},
  model = 'a-model',
): Promise<string[]> {
  const noted: string[] = []
  const subject = {
    plugin,
    format: client,
    body,
    options: ({ url }: { url: string }) => ({ url }),
    prompt: (given: Record<string, unknown>) => promptOf(client, Buffer.from(JSON.stringify(given)), given),
  }
  const ask = { model, note: (field: string): void => void noted.push(field) }
  await bench(subject, async ({ provider, call }) => void (await provider.complete(call(body, ask))), options)
  return noted
}

const SAID = [{ role: 'user', content: 'hi' }]

test('fields that a vendor of another format has no words for are noted in the words of the client', async () => {
  const chat = { messages: SAID, seed: 7, logit_bias: { 1: 1 }, presence_penalty: 0.5, verbosity: 'low' }
  assert.equal(await omitted(chatCompletions, chat, messagesVendor), [
    'seed',
    'presence_penalty',
    'verbosity',
    'logit_bias',
  ])
  const content = {
    contents: [{ parts: [{ text: 'hi' }] }],
    generationConfig: { seed: 7, topK: 3 },
    labels: { a: 'b' },
  }
  assert.equal(await omitted(generateContent, content, responsesVendor), [
    'generationConfig.topK',
    'generationConfig.seed',
    'labels',
  ])
  const marked = [{ role: 'user', content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }] }]
  const asked = { messages: marked, max_tokens: 9, metadata: { user_id: 'ada' }, top_k: 5 }
  assert.equal(await omitted(messages, asked, contentVendor), ['metadata.user_id', 'cache_control'])
  const item = { input: 'hi', text: { verbosity: 'low' }, max_tool_calls: 3 }
  assert.equal(await omitted(responses, item, messagesVendor), ['text.verbosity', 'max_tool_calls'])
})

test('most hosts of chat completions are asked nothing about the serving, which is noted, too', async () => {
  const asked = { input: 'hi', service_tier: 'flex', prompt_cache_key: 'k', text: { verbosity: 'low' } }
  const fields = ['text.verbosity', 'service_tier', 'prompt_cache_key']
  assert.equal(await omitted(responses, asked, chatVendor), fields)
  assert.equal(await omitted(responses, asked, chatVendor, { quirks: { custom_tools: true } }), [])
})

test('what a vendor of the own format is known to refuse is noted, its defaults are not', async () => {
  const quirks = { drop_params: ['seed', 'logit_bias', 'temperature', 'n', 'logprobs'] }
  const body = { messages: SAID, seed: 7, logit_bias: { 1: 1 }, temperature: 1, n: 1, logprobs: false }
  assert.equal(await omitted(chatCompletions, body, chatVendor, { quirks }), ['seed', 'logit_bias'])
  assert.equal(await omitted(chatCompletions, { ...body, unknown: 1 }, chatVendor), [])
})

test('a field that the format has and this vendor refuses is noted once', async () => {
  const body = { contents: [{ parts: [{ text: 'hi' }] }], generationConfig: { seed: 7, topK: 3 } }
  const quirks = { drop_params: ['seed', 'top_k'] }
  const fields = ['generationConfig.topK', 'generationConfig.seed']
  assert.equal(await omitted(generateContent, body, chatVendor, { quirks }), fields)
})

test("a path has the client's name for what it begins with", async () => {
  const input = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'Once' },
  ]
  assert.equal(await omitted(responses, { input }, messagesVendor, {}, 'claude-opus-4-8'), ['input[-1]'])
})

test('hosted tools that are left out are noted', async () => {
  const body = { messages: SAID, max_tokens: 9, tools: [{ type: 'web_search_20250305', name: 'web_search' }] }
  assert.equal(await omitted(messages, body, chatVendor, { hosted_tools: 'drop' }), ['tools'])
})

test('nothing is noted of a prompt that no vendor was sent', async () => {
  const noted: string[] = []
  const body = { messages: SAID, seed: 7, logprobs: true, logit_bias: { 1: 1 } }
  const subject = {
    plugin: messagesVendor,
    format: chatCompletions,
    body,
    options: ({ url }: { url: string }) => ({ url }),
  }
  await bench(subject, async ({ provider, call, upstream }) => {
    const error = await failure(provider.complete(call(body, { note: field => noted.push(field) })))
    assert.is(error.param, 'logprobs')
    assert.is(upstream.calls.length, 0)
  })
  assert.equal(noted, [])
})

test.run()
