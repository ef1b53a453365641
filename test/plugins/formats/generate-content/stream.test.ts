import { type AnswerEvent, type ChatFormat, type Completion, isObject, type JsonObject, replay } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent, listed } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type ContentEvent, checkContentList, checkContentStream } from '../../../support/grammar/generate-content.ts'
import { checkMessagesGrammar, messagesLadder } from '../../../support/grammar/messages.ts'
import { assembled, chunks, decoded, encoded, hello, promptIn, reply } from '../messages-stream.ts'

const client = promptIn(generateContent, { model: 'm', contents: [{ parts: [{ text: 'Hi' }] }] })
const chatClient = promptIn(chatCompletions, {
  model: 'm',
  stream: true,
  stream_options: { include_usage: true },
  messages: [{ role: 'user', content: 'Hi' }],
})
const clientOf = (format: ChatFormat) =>
  format === messages ? hello : format === chatCompletions ? chatClient : client

const frame = (parts: readonly unknown[], more: JsonObject = {}, candidate: JsonObject = {}): string =>
  `data: ${JSON.stringify({ candidates: [{ content: { parts, role: 'model' }, index: 0, ...candidate }], modelVersion: 'm', responseId: 'r', ...more })}`
const usage = (candidates: number) => ({
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: candidates, thoughtsTokenCount: 2, totalTokenCount: 9 },
})
const STOP = { finishReason: 'STOP' }

/** As the vendor sends it: thoughts, words, calls in frames of their own, and a signature on the first. */
const FRAMES = [
  frame([{ text: '**Two cities** 東京', thought: true }], usage(0)),
  frame([{ text: 'Checking ' }], usage(1)),
  frame([{ text: '東京 👩‍👩‍👧 é' }], usage(2)),
  frame([{ functionCall: { name: 'f', args: { city: 'Köln 🏙️' } }, thoughtSignature: 'c2ln' }], usage(3)),
  frame([{ functionCall: { name: 'f', args: {} } }], usage(4)),
  frame([{ text: '', thoughtSignature: 'ZW5k' }], usage(5), STOP),
]
const STREAM = FRAMES.map(one => `${one}\r\n\r\n`).join('')

const read = (text: string, size?: number): Promise<AnswerEvent[]> => decoded(generateContent, chunks(text, size))
const partsOf = (events: readonly ContentEvent[]): JsonObject[] =>
  events.flatMap(event => event.candidates[0].content.parts)

test('calls of streams without an id get ids that no other stream has', async () => {
  const unnamed = STREAM.replaceAll(',"responseId":"r"', '')
  const ids = async () =>
    assembled(await read(unnamed)).blocks.flatMap(one => (one.type === 'tool_call' ? [one.id] : []))
  assert.is(new Set([...(await ids()), ...(await ids())]).size, 4)
})

test("a vendor's stream is read part by part, each call under an id of its own (R2)", async () => {
  const { blocks, stop, usage: counted, model } = assembled(await read(STREAM))
  const [thought, words, first, second, end] = blocks
  assert.equal(thought, { type: 'reasoning', text: '**Two cities** 東京' })
  assert.equal(words, { type: 'text', text: 'Checking 東京 👩‍👩‍👧 é' })
  if (first?.type !== 'tool_call' || second?.type !== 'tool_call') return assert.unreachable('two calls')
  assert.is(first.args, '{"city":"Köln 🏙️"}')
  assert.is(first.signature, 'c2ln')
  assert.is(second.args, '{}')
  assert.is(second.signature, undefined)
  assert.is.not(first.id, second.id)
  assert.equal(end, { type: 'reasoning', text: '', signature: 'ZW5k', origin: 'generate-content' })
  assert.equal(stop, { reason: 'tool_use' })
  assert.equal(counted, { input: 7, output: 7, reasoning: 2 }, 'the last count wins')
  assert.is(model, 'm')
})

test('a stream says the same wherever the network cuts it, and however its lines end', async () => {
  const wanted = assembled(await read(STREAM))
  const bytes = Buffer.from(STREAM)
  const cut = async function* (at: number) {
    yield bytes.subarray(0, at)
    yield bytes.subarray(at)
  }
  for (let at = 1; at < bytes.length; at++) assert.equal(assembled(await decoded(generateContent, cut(at))), wanted)
  const line = fc.constantFrom('\n', '\r\n', '\r')
  const spelling = fc.record({
    ends: fc.array(line, { minLength: FRAMES.length, maxLength: FRAMES.length }),
    comments: fc.array(fc.constantFrom('', ': keep-alive', ':'), {
      minLength: FRAMES.length,
      maxLength: FRAMES.length,
    }),
    mark: fc.constantFrom('', '\ufeff'),
    space: fc.boolean(),
    size: fc.integer({ min: 1, max: 97 }),
  })
  await fc.assert(
    fc.asyncProperty(spelling, async ({ ends, comments, mark, space, size }) => {
      const text = FRAMES.map((one, i) => {
        const end = ends[i] ?? '\n'
        const comment = comments[i] ? `${comments[i]}${end}${end}` : ''
        return `${comment}${space ? one : one.replace('data: ', 'data:')}${end}${end}`
      }).join('')
      assert.equal(assembled(await read(mark + text, size)), wanted)
    }),
    { numRuns: 200 },
  )
})

test('a stream is over when the vendor closes it, and only after a finish reason (R23)', async () => {
  const words = (more: JsonObject = {}): string => `${frame([{ text: 'a' }], {}, more)}\n\n`
  const fails = async (text: string): Promise<void> => {
    const error = await read(text).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    assert.instance(error, Error)
  }
  await fails('')
  await fails(words())
  await fails(`${words()}${words()}`)
  // Older models name a finish reason in every frame.
  assert.equal(assembled(await read(words(STOP) + words(STOP))).blocks, [{ type: 'text', text: 'aa' }])
  const second = `${frame([{ text: 'b' }], {}, { index: 1 })}\n\n`
  await fails(words(STOP) + second)
  const { unmodelled } = assembled(
    await read(second + words(STOP) + second.replace('"index":1', '"index":1,"finishReason":"STOP"')),
  )
  assert.equal(unmodelled, ['a second choice'])
})

test('a blocked prompt is filtered, and an error in mid-stream a failure in its own words', async () => {
  const blocked = `data: ${JSON.stringify({ promptFeedback: { blockReason: 'SAFETY' }, modelVersion: 'm' })}\n\n`
  assert.equal(assembled(await read(blocked)).stop, { reason: 'filtered' })
  const error = { error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }
  for (const body of [error, [error]]) {
    const failure = await read(`${frame([{ text: 'a' }])}\n\ndata: ${JSON.stringify(body)}\n\n`).catch(thrown => thrown)
    assert.is(failure.type, 'UNAVAILABLE')
  }
  const malformed = await read(`${frame([], {}, { finishReason: 'MALFORMED_FUNCTION_CALL' })}\n\n`)
  assert.equal(assembled(malformed).stop, { reason: 'unknown', gaveUp: 'MALFORMED_FUNCTION_CALL' })
})

// --- to clients

const answer: Completion = {
  id: 'up',
  model: 'm',
  created: 0,
  blocks: [
    { type: 'reasoning', text: 'Two cities: 東京 und Zürich 👩‍👩‍👧.', signature: 'c2ln', origin: 'messages' },
    { type: 'text', text: 'Checking 東京 👩‍👩‍👧 é — één moment… '.repeat(4) },
    { type: 'tool_call', id: 'call_a1', name: 'get_weather', args: '{"city":"Köln 🏙️"}' },
    { type: 'tool_call', id: 'call_b2', name: 'get_weather', args: '{}' },
    { type: 'tool_call', id: 'call_c3', name: 'get_time', args: '{"deep":{"er":[1,2]},"n":12345678901234567890}' },
  ],
  stop: { reason: 'tool_use' },
  usage: { input: 100, output: 30, cacheRead: 40, reasoning: 12 },
}

/** What counts of an answer on its way: neither the id of a delivery nor whose calls they are. */
const kept = (completion: Completion) => ({
  blocks: completion.blocks.map(block => (block.type === 'tool_call' ? { ...block, origin: undefined } : block)),
  stop: completion.stop,
  // The messages dialect always has a count of what was written to a cache.
  usage: { ...completion.usage, cacheWrite: completion.usage?.cacheWrite ?? 0 },
})

test('a client gets frames of parts, the last one with the finish reason and the usage', () => {
  const events = checkContentStream(encoded(generateContent, replay(answer), client))
  const parts = partsOf(events)
  const text = parts.filter(part => !part.thought && part.text).map(part => part.text)
  assert.is(text.join(''), 'Checking 東京 👩‍👩‍👧 é — één moment… '.repeat(4))
  const calls = parts.flatMap(({ functionCall: call }) => (isObject(call) ? [call] : []))
  assert.equal(
    calls.map(({ id, name }) => [id, name]),
    [
      ['call_a1', 'get_weather'],
      ['call_b2', 'get_weather'],
      ['call_c3', 'get_time'],
    ],
  )
  assert.equal(calls[0]?.args, { city: 'Köln 🏙️' })
  assert.equal(events.at(-1)?.usageMetadata, {
    promptTokenCount: 100,
    cachedContentTokenCount: 40,
    candidatesTokenCount: 18,
    thoughtsTokenCount: 12,
    totalTokenCount: 130,
  })
  assert.match(encoded(generateContent, replay(answer), client), '12345678901234567890')
})

test('every client of the format gets words as they come, but for their last character', () => {
  const encoder = generateContent.streamEncoder(client, reply)
  const said: string[] = []
  for (const event of [
    { type: 'start', id: '', model: 'm', created: 0 },
    { type: 'text', text: 'Hello' },
    { type: 'text', text: ' world' },
    { type: 'stop', stop: { reason: 'stop' } },
    { type: 'end' },
  ] as const) {
    const text = encoder.push(event)
    if (text !== '') said.push(String(partsOf([JSON.parse(text.slice('data: '.length))])[0]?.text))
  }
  assert.equal(said, ['Hell', 'o worl', 'd'])
})

test("a foreign vendor's proof comes back from a client, and belongs to the same words (R12)", async () => {
  const events = checkContentStream(encoded(generateContent, replay(answer), client))
  const history = [
    { role: 'user', parts: [{ text: 'Hi' }] },
    ...events.map(event => event.candidates[0].content),
    { role: 'user', parts: [{ text: 'And?' }] },
  ]
  const { turns } = generateContent.decodePrompt({ contents: history })
  assert.is(turns.length, 3)
  assert.equal(turns[1]?.blocks.slice(0, 2), answer.blocks.slice(0, 2))
  const whole = generateContent.encodeAnswer(answer, reply).candidates as ContentEvent[]
  const again = generateContent.decodePrompt({ contents: [history[0], whole[0].content] })
  assert.equal(again.turns[1]?.blocks.slice(0, 2), answer.blocks.slice(0, 2))
  assert.not.match(JSON.stringify(whole), /"thoughtSignature":"c2ln"/)
})

test('reasoning that only its vendor can read comes back to it', () => {
  const redacted: Completion = {
    ...answer,
    blocks: [
      { type: 'reasoning', text: '', redacted: 'AbC', origin: 'messages' },
      { type: 'text', text: 'so' },
    ],
  }
  const events = checkContentStream(encoded(generateContent, replay(redacted), client))
  const { turns } = generateContent.decodePrompt({
    contents: [{ parts: [{ text: 'Hi' }] }, { role: 'model', parts: partsOf(events) }],
  })
  assert.equal(turns[1]?.blocks[0], redacted.blocks[0])
})

test('the first call of another model is marked for a vendor that wants calls signed (R13)', () => {
  const [first, second] = partsOf(checkContentStream(encoded(generateContent, replay(answer), client))).filter(
    part => 'functionCall' in part,
  )
  assert.is(first?.thoughtSignature, 'skip_thought_signature_validator')
  assert.not('thoughtSignature' in (second ?? {}))
})

test("a replay of this vendor's own answer marks no call that came unsigned", async () => {
  const stream = `${frame([{ functionCall: { name: 'f', args: {} } }], {}, STOP)}\n\n`
  const own = assembled(await read(stream))
  const [part] = partsOf(checkContentStream(encoded(generateContent, replay(own), client)))
  assert.equal(part, { functionCall: { name: 'f', args: {} } })
})

test('calls that are told in pieces go out whole and in order', () => {
  const encoder = generateContent.streamEncoder(client, reply)
  const pieces: AnswerEvent[] = [
    { type: 'start', id: '', model: 'm', created: 0 },
    { type: 'tool_call', index: 0, id: 'a', name: 'f' },
    { type: 'tool_call', index: 1, id: 'b', name: 'g' },
    { type: 'tool_args', index: 1, text: '{"n":' },
    { type: 'tool_args', index: 0, text: '{"n":1}' },
    { type: 'tool_args', index: 1, text: '2}' },
    { type: 'text', text: 'done' },
    { type: 'stop', stop: { reason: 'tool_use' } },
    { type: 'end' },
  ]
  const events = checkContentStream(pieces.map(event => encoder.push(event)).join(''))
  const parts = partsOf(events)
  assert.equal(
    parts.map(({ functionCall: call, text }) => (isObject(call) ? [call.id, call.args] : text)),
    [['a', { n: 1 }], ['b', { n: 2 }], 'don', 'e'],
  )
})

test('an answer of nothing is a frame all the same', () => {
  const [event, ...more] = checkContentStream(
    encoded(generateContent, replay({ ...answer, blocks: [], stop: { reason: 'filtered' } }), client),
  )
  assert.equal([event?.candidates[0].finishReason, more.length], ['SAFETY', 0])
})

test('the same stream is one JSON list for a client that asks for one', async () => {
  const wanted = checkContentStream(encoded(generateContent, replay(answer), client))
  for (const pass of [false, true]) {
    const list = listed(generateContent)
    const { opening, closing, contentType } = list.framing({
      path: '',
      params: {},
      query: new URLSearchParams(),
      headers: {},
    })
    const encoder = list.streamEncoder(client, reply)
    const items = pass
      ? encoded(generateContent, replay(answer), client)
          .split(/(?<=\n\n)/)
          .map(wire => list.passFrame({ events: [], wire }, client))
      : [...replay(answer)].map(event => encoder.push(event))
    assert.match(contentType, 'application/json')
    assert.equal(checkContentList(opening + items.join('') + closing), wanted)
  }
})

test('a list that breaks off ends with the error, also as its first item', () => {
  const error = { code: 'upstream_failed', message: 'gone', status: 502 } as never
  for (const items of [0, 1]) {
    const list = listed(generateContent)
    const before = items === 0 ? '' : list.passFrame({ events: [], wire: `${frame([{ text: 'a' }])}\n\n` }, client)
    const parsed = JSON.parse(`[${before}${list.encodeStreamError(error, 'id')}`)
    assert.is(parsed.length, items + 1)
    assert.equal(parsed.at(-1).error, { code: 502, message: 'gone', status: 'UNAVAILABLE' })
  }
})

// --- between the dialects

const through = (format: ChatFormat, events: Iterable<AnswerEvent>): Promise<AnswerEvent[]> =>
  decoded(format, chunks(encoded(format, events, clientOf(format))))

test('a streamed answer passes every pair of dialects, in either order, and stays the same', async () => {
  const plain: Completion = {
    ...answer,
    blocks: answer.blocks.map(block => (block.type === 'reasoning' ? { type: 'reasoning', text: block.text } : block)),
  }
  const first = [...replay(plain)]
  const wanted = kept(assembled(first))
  for (const one of [generateContent, chatCompletions, messages])
    for (const other of [generateContent, chatCompletions, messages])
      assert.equal(
        kept(assembled(await through(other, await through(one, first)))),
        wanted,
        `${one.name} ${other.name}`,
      )
})

test('a whole answer and its stream say the same', async () => {
  const whole = generateContent.decodeAnswer(JSON.parse(JSON.stringify(generateContent.encodeAnswer(answer, reply))))
  const streamed = assembled(await through(generateContent, replay(answer)))
  const rounded = JSON.stringify(kept(streamed)).replace('12345678901234567890', '12345678901234567000')
  assert.equal(JSON.parse(rounded), JSON.parse(JSON.stringify(kept(whole))))
})

test("a stream of this vendor climbs the ladder of the messages dialect, and of chat's", async () => {
  const text = encoded(messages, await read(STREAM), hello)
  assert.is(
    messagesLadder(checkMessagesGrammar(text)).join(' · '),
    'message_start · ping · start thinking · thinking_delta · stop · start text · text_delta · stop · ' +
      'start redacted_thinking · stop · start tool_use · input_json_delta · stop · ' +
      'start tool_use · input_json_delta · stop · start thinking · signature_delta · stop · message_delta · message_stop',
  )
  const chat = encoded(chatCompletions, await read(STREAM), chatClient)
  const chunksOf = [...chat.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? ''))
  assert.is(chunksOf.at(-2)?.choices[0].finish_reason, 'tool_calls')
  const indexes = chunksOf.flatMap(({ choices }) =>
    (choices[0]?.delta.tool_calls ?? []).map((call: { index: number }) => call.index),
  )
  assert.equal([...new Set(indexes)], [0, 1])
  assert.equal(chunksOf.at(-1)?.usage.prompt_tokens, 7)
})

test.run()
