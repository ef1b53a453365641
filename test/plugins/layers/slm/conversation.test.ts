import { type ChatFormat, type JsonObject, promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { native } from 'deflector/formats/native'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { conversationOf } from '../../../../plugins/layers/slm/conversation.ts'
import { TestExchange } from '../../../contracts/host.ts'

const QUESTION = 'Is 7 prime?'
const user = { role: 'user', content: QUESTION }

const chat = (more: JsonObject): Ask => [chatCompletions, { model: 'm', messages: [user], ...more }]
const message = (more: JsonObject): Ask => [messages, { model: 'm', max_tokens: 100, messages: [user], ...more }]
const response = (more: JsonObject): Ask => [responses, { model: 'm', store: false, input: QUESTION, ...more }]
const content = (more: JsonObject): Ask => [generateContent, { contents: [{ parts: [{ text: QUESTION }] }], ...more }]

type Ask = readonly [ChatFormat, JsonObject]

/** What the small model is asked last, or why it is not. */
function fate([format, body]: Ask): string {
  const prompt = promptOf(format, new TextEncoder().encode(JSON.stringify(body)), body)
  const read = conversationOf(new TestExchange({ prompt }), 16_000)
  return typeof read === 'string' ? read : read.last
}

test('what clients send by default is no reason to decline', () => {
  const asks: readonly Ask[] = [
    chat({ stream: true, stream_options: { include_usage: true }, n: 1, user: 'ada', metadata: { job: '7' } }),
    chat({ store: false, logit_bias: {}, service_tier: 'auto', seed: 1, stop: null, tools: null, logprobs: false }),
    chat({
      temperature: 0.2,
      top_p: 1,
      presence_penalty: 0,
      max_completion_tokens: 50,
      response_format: { type: 'text' },
    }),
    chat({ prompt_cache_key: 'k', safety_identifier: 'a', client_metadata: { run: '1' }, session_id: 's' }),
    chat({ reasoning_effort: 'none', thinking: { type: 'disabled' }, enable_thinking: false, modalities: ['text'] }),
    message({
      thinking: { type: 'disabled' },
      metadata: { user_id: '{"session_id":"s"}' },
      service_tier: 'auto',
      tools: [],
    }),
    message({ system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }], temperature: 1 }),
    message({ messages: [{ role: 'user', content: [{ type: 'text', text: QUESTION, citations: null }] }] }),
    response({ text: { format: { type: 'text' }, verbosity: 'medium' }, truncation: 'auto', metadata: {}, tools: [] }),
    response({
      reasoning: { effort: null, summary: null },
      include: [],
      previous_response_id: null,
      background: false,
    }),
    content({
      generationConfig: { temperature: 0, topP: 0.9, candidateCount: 1, thinkingConfig: { thinkingBudget: 0 } },
    }),
    content({ generation_config: { max_output_tokens: 50, thinking_config: { include_thoughts: false } } }),
    [native, { prompt: QUESTION, anything: 1 }],
  ]
  for (const ask of asks) assert.is(fate(ask), QUESTION, JSON.stringify(ask[1]))
})

test('a field whose meaning nobody knows here goes to who knows it', () => {
  const fields: readonly JsonObject[] = [
    { plugins: [{ id: 'web' }] },
    { search_parameters: { mode: 'on' } },
    { guided_choice: ['yes', 'no'] },
    { guided_json: { type: 'object' } },
    { logit_bias: { 50256: -100 } },
    { prediction: { type: 'content', content: 'x' } },
    { chat_template_kwargs: { enable_thinking: true } },
    { provider: { only: ['acme'] } },
    { skip_special_tokens: false },
    { 'a name that is none': 1 },
  ]
  for (const make of [chat, message, response, content])
    for (const more of fields) assert.is(fate(make(more)), 'vendor_fields', JSON.stringify(more))
})

test('what is known of a field, but not its value, goes there as well', () => {
  const asks: readonly Ask[] = [
    chat({ modalities: ['text', 'image'] }),
    chat({ enable_thinking: true }),
    chat({ reasoning_effort: 'beyond' }),
    chat({ thinking: { type: 'auto' } }),
    message({ inference_geo: 'us' }),
    message({ context_management: { edits: [{ type: 'clear_thinking_20251015' }] } }),
    message({ output_config: { effort: 'beyond' } }),
    message({ output_config: { task_budget: { type: 'tokens', total: 9 } } }),
    response({ text: { format: { type: 'grammar', syntax: 'lark' } } }),
    response({ reasoning: { summary: 'auto' } }),
    response({ include: ['reasoning.encrypted_content'] }),
    content({ generationConfig: { thinkingConfig: { thinkingLevel: 'beyond' } } }),
    content({ generationConfig: { speechConfig: { languageCode: 'de' } } }),
    content({ safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }] }),
  ]
  for (const ask of asks) assert.is(fate(ask), 'vendor_fields', JSON.stringify(ask[1]))
})

test('reasoning is declined also where its model may decide against it', () => {
  const asks: readonly Ask[] = [
    chat({ reasoning_effort: 'low' }),
    message({ thinking: { type: 'enabled', budget_tokens: 2000 } }),
    message({ thinking: { type: 'adaptive' } }),
    content({ generationConfig: { thinkingConfig: { includeThoughts: true } } }),
    content({ generationConfig: { thinkingConfig: { thinkingBudget: -1 } } }),
  ]
  for (const ask of asks) assert.is(fate(ask), 'reasoning', JSON.stringify(ask[1]))
})

test('an answer that its client wants to find at the vendor again is the vendor’s', () => {
  assert.is(fate(chat({ store: true })), 'vendor_state')
})

test('a source is quoted by who can cite it', () => {
  const result = (enabled: boolean): Ask => {
    const found = { type: 'search_result', source: 'https://e.example', title: 'Primes', citations: { enabled } }
    const parts = [
      { ...found, content: [{ type: 'text', text: '7 is one.' }] },
      { type: 'text', text: QUESTION },
    ]
    return message({ messages: [{ role: 'user', content: parts }] })
  }
  assert.is(fate(result(true)), 'vendor_fields')
  assert.match(fate(result(false)), QUESTION)
})

test('a schema that says nothing cannot be checked', () => {
  const format = (json_schema: JsonObject): Ask => chat({ response_format: { type: 'json_schema', json_schema } })
  assert.is(fate(format({ name: 'title' })), 'schema')
  assert.is(fate(format({ name: 'title', schema: {} })), 'schema')
  assert.is(fate(response({ text: { format: { type: 'json_schema', name: 'title' } } })), 'schema')
  assert.is(fate(format({ name: 'title', schema: { type: 'object' } })), QUESTION)
})

test.run()
