import { type AnswerEvent, type ChatFormat, type JsonObject, replay } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { assembled, promptIn, reply } from './messages-stream.ts'

/** The class of service of an answer, in each dialect's own words and place. */

/** An answer of each vendor, counted in a class of this name. */
const VENDORS: readonly [ChatFormat, (tier: string) => JsonObject][] = [
  [
    chatCompletions,
    service_tier => ({
      id: 'c',
      model: 'm',
      created: 1,
      service_tier,
      choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    }),
  ],
  [
    responses,
    service_tier => ({
      id: 'r',
      model: 'm',
      created_at: 1,
      status: 'completed',
      service_tier,
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi', annotations: [] }] }],
      usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
    }),
  ],
  [
    messages,
    service_tier => ({
      id: 'm',
      model: 'm',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 2, service_tier },
    }),
  ],
  [
    generateContent,
    serviceTier => ({
      responseId: 'g',
      modelVersion: 'm',
      candidates: [{ content: { parts: [{ text: 'hi' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5, serviceTier },
    }),
  ],
]

const ASKED = {
  model: 'm',
  max_tokens: 9,
  input: 'hi',
  contents: [{ parts: [{ text: 'hi' }] }],
  messages: [{ role: 'user', content: 'hi' }],
  stream_options: { include_usage: true },
}

/** Each word that a text of JSON says of a class of service. */
const tiersIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/"(?:service_tier|serviceTier)":"(\w+)"/g)].map(([, word = '']) => word)),
]

const streamOf = (format: ChatFormat, events: Iterable<AnswerEvent>): string => {
  const encoder = format.streamEncoder(promptIn(format, { ...ASKED, stream: true }), reply)
  return [...events].map(event => encoder.push(event)).join('')
}

/** The words for one class, in the order of the vendors above; none where a dialect has none. */
const CLASSES: readonly (readonly (string | undefined)[])[] = [
  ['default', 'default', 'standard', 'standard'],
  ['priority', 'priority', 'priority', 'priority'],
  ['flex', 'flex', undefined, 'flex'],
]

for (const words of CLASSES)
  for (const [from, [vendor, body]] of VENDORS.entries())
    for (const [to, [client]] of VENDORS.entries()) {
      const word = words[from]
      if (word === undefined) continue
      test(`${word} of ${vendor.name} to ${client.name}, whole and streamed`, () => {
        const completion = vendor.decodeAnswer(body(word))
        const expected = words[to] === undefined ? [] : [words[to]]
        assert.equal(tiersIn(JSON.stringify(client.encodeAnswer(completion, reply, promptIn(client, ASKED)))), expected)
        assert.equal(tiersIn(streamOf(client, replay(completion))), expected)
      })
    }

test('a stream tells it as a whole answer does', () => {
  const decoder = chatCompletions.streamDecoder()
  const chunk = (delta: JsonObject, more: JsonObject = {}) => ({
    id: 'c',
    service_tier: 'flex',
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  })
  const usage = { prompt_tokens: 3, completion_tokens: 2 }
  const chunks = [chunk({ content: 'hi' }), chunk({}, { finish_reason: 'stop' }), { id: 'c', choices: [], usage }]
  const events = chunks.flatMap(each => decoder.push({ data: JSON.stringify(each) }))
  assert.is(assembled(events).usage?.tier, 'flex')

  const other = messages.streamDecoder()
  const told = [
    { type: 'message_start', message: { id: 'a', model: 'm', usage: { input_tokens: 1, service_tier: 'priority' } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  ].flatMap(each => other.push({ event: each.type, data: JSON.stringify(each) }))
  assert.is(assembled(told).usage?.tier, 'priority')
})

test('a class that a dialect has no word for is not said there', () => {
  const [[, whole]] = VENDORS as [(typeof VENDORS)[number]]
  const scale = chatCompletions.decodeAnswer(whole('scale'))
  assert.equal(tiersIn(JSON.stringify(responses.encodeAnswer(scale, reply, promptIn(responses, ASKED)))), ['scale'])
  for (const client of [messages, generateContent])
    assert.equal(tiersIn(JSON.stringify(client.encodeAnswer(scale, reply, promptIn(client, ASKED)))), [], client.name)
})

test.run()
