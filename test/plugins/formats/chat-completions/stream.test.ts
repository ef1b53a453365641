import { type AnswerEvent, Assembler, type Completion, type Frame, promptOf, replay } from 'deflector'
import { chatCompletions as format } from 'deflector/formats/chat-completions'
import { sseEvents, sseText } from 'deflector/formats/sse'
import { StreamFault } from 'deflector/formats/stream-fault'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkChatGrammar } from '../../../support/grammar/chat-completions.ts'

const reply = { id: 'r1', created: 1_790_000_000, layer: 'l3' }

const client = (fields: object = {}) => {
  const body = { messages: [{ role: 'user', content: 'Hi' }], stream: true, ...fields }
  return promptOf(format, Buffer.from(JSON.stringify(body)), body)
}
const quiet = client()
const counting = client({ stream_options: { include_usage: true } })

async function* chunked(bytes: Uint8Array, cuts: Iterable<number>): AsyncGenerator<Uint8Array> {
  let from = 0
  for (const cut of cuts) {
    yield bytes.subarray(from, cut)
    from = cut
  }
  yield bytes.subarray(from)
}

async function read(wire: string | Uint8Array, cuts: Iterable<number> = []): Promise<AnswerEvent[]> {
  const decoder = format.streamDecoder()
  const events: AnswerEvent[] = []
  const bytes = typeof wire === 'string' ? Buffer.from(wire) : wire
  for await (const event of sseEvents(chunked(bytes, cuts))) events.push(...decoder.push(event))
  for (const frame of decoder.finish()) events.push(...frame.events)
  return events
}

function assembled(events: Iterable<AnswerEvent>): Completion {
  const assembler = new Assembler()
  for (const event of events) assembler.add(event)
  assert.ok(assembler.ended)
  return assembler.completion()
}

async function failure(wire: string): Promise<Error> {
  try {
    await read(wire)
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('nothing thrown')
}

const write = (completion: Completion, prompt = counting): string => {
  const encoder = format.streamEncoder(prompt, reply)
  const text = [...replay(completion)].map(event => encoder.push(event)).join('')
  checkChatGrammar(text)
  return text
}

type Delta = Record<string, unknown>
const chunk = (fields: object): string =>
  `data: ${JSON.stringify({ id: 'c-1', model: 'm', created: 7, ...fields })}\n\n`
const delta = (fields: Delta, finish_reason: string | null = null): string =>
  chunk({ choices: [{ index: 0, delta: fields, finish_reason }] })
const call = (fields: Delta): string => delta({ tool_calls: [fields] })
const DONE = 'data: [DONE]\n\n'
const finished = (reason: string): string => delta({}, reason) + DONE

const calls = ({ blocks }: Completion) =>
  blocks.flatMap(block => (block.type === 'tool_call' ? [[block.id, block.name, block.args]] : []))

// whole streams

const golden: Completion = {
  id: 'chatcmpl-r1',
  model: 'm',
  created: reply.created,
  blocks: [
    { type: 'reasoning', text: 'Two cities — 二つの都市, so two calls 👩‍👩‍👧‍👦.' },
    { type: 'text', text: 'Checking… e\u0301 नमस्ते 日本語 🇳🇴' },
    { type: 'tool_call', id: 'call_a1', name: 'get_weather', args: '{"city":"Tromsø"}' },
    { type: 'tool_call', id: 'call_b2', name: 'get_weather', args: '{"city":"ローマ"}' },
    { type: 'tool_call', id: 'call_c3', name: 'now', args: '{}' },
  ],
  stop: { reason: 'tool_use' },
  usage: { input: 100, output: 30, cacheRead: 40, cacheWrite: 10, reasoning: 12 },
}

test('the answer with calls is the same, wherever its stream is cut', async () => {
  const wire = Buffer.from(write(golden))
  assert.equal(assembled(await read(wire)), golden)
  assert.equal(assembled(await read(wire, wire.keys())), golden)
  for (let cut = 1; cut < wire.length; cut++) assert.equal(assembled(await read(wire, [cut])), golden, `cut at ${cut}`)
})

test('chunks come in the order of the format', async () => {
  const steps: string[] = []
  async function* once() {
    yield Buffer.from(write(golden))
  }
  for await (const { data } of sseEvents(once())) {
    if (data === '[DONE]') {
      steps.push('done')
      continue
    }
    const { id, object, choices, usage } = JSON.parse(data)
    assert.equal([id, object], ['chatcmpl-r1', 'chat.completion.chunk'])
    const [choice] = choices
    if (!choice) {
      assert.is(usage.total_tokens, 130)
      steps.push('usage')
      continue
    }
    assert.is(usage, null)
    const [tool] = choice.delta.tool_calls ?? []
    const step = tool
      ? `tool ${tool.index} ${tool.id ?? 'args'}`
      : (choice.finish_reason ?? Object.keys(choice.delta)[0])
    if (steps.at(-1) !== step) steps.push(step)
  }
  assert.equal(steps, [
    'role',
    'reasoning_content',
    'content',
    'tool 0 call_a1',
    'tool 0 args',
    'tool 1 call_b2',
    'tool 1 args',
    'tool 2 call_c3',
    'tool 2 args',
    'tool_calls',
    'usage',
    'done',
  ])
})

test('a client that did not ask gets no usage, and no usage field', () => {
  const wire = write(golden, quiet)
  assert.not.match(wire, 'usage')
  assert.ok(wire.endsWith(DONE))
})

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 })
const plain = <T>(shape: { [Key in keyof T]: fc.Arbitrary<T[Key]> }) => fc.record(shape, { noNullPrototype: true })
const block = fc.oneof(
  plain({ type: fc.constant('text' as const), text: words }),
  plain({ type: fc.constant('reasoning' as const), text: words }),
  plain({
    type: fc.constant('reasoning' as const),
    text: words,
    signature: fc.base64String({ minLength: 1 }),
    origin: fc.constant('chat-completions'),
  }),
  plain({
    type: fc.constant('reasoning' as const),
    text: fc.constant(''),
    redacted: fc.base64String({ minLength: 4 }),
    origin: fc.constant('chat-completions'),
  }),
  plain({
    type: fc.constant('tool_call' as const),
    id: fc.uuid(),
    name: fc.constantFrom('f', 'g'),
    args: fc.object().map(value => JSON.stringify(value)),
  }),
)

test('any answer that is replayed, written and read again is the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(block, { maxLength: 6 }), async list => {
      const blocks = list.filter(({ type }, index) => type === 'tool_call' || list[index - 1]?.type !== type)
      const reason = blocks.some(({ type }) => type === 'tool_call') ? 'tool_use' : 'stop'
      const completion: Completion = { ...golden, blocks, stop: { reason } }
      assert.equal(assembled(await read(write(completion))), completion)
    }),
    { numRuns: 100 },
  )
})

test('a refusal and citations survive a replay', async () => {
  const annotations = [{ type: 'url_citation', url_citation: { url: 'https://example.org' } }]
  const completion: Completion = {
    ...golden,
    blocks: [
      { type: 'refusal', text: 'No.' },
      { type: 'opaque', format: 'chat-completions', value: { annotations } },
    ],
    stop: { reason: 'refusal' },
  }
  assert.equal(assembled(await read(write(completion))), completion)
  const foreign: Completion = { ...golden, blocks: [{ type: 'opaque', format: 'messages', value: { secret: 1 } }] }
  assert.not.match(write(foreign), 'secret')
})

test('a hundred kilobytes of arguments are the same in pieces and at once', async () => {
  const args = JSON.stringify({ text: 'ünïcode "quoted" \\ 日本語 '.repeat(4000) })
  assert.ok(args.length > 100_000 - 10_000)
  const expected = [['a', 'f', args]]
  const head = { index: 0, id: 'a', type: 'function' }
  const atOnce = call({ ...head, function: { name: 'f', arguments: args } })
  assert.equal(calls(assembled(await read(atOnce + finished('tool_calls')))), expected)
  const parts = args.match(/.{1,97}/gsu) ?? []
  const pieces = parts.map(piece => call({ index: 0, function: { arguments: piece } })).join('')
  const started = call({ ...head, function: { name: 'f', arguments: '' } })
  assert.equal(calls(assembled(await read(started + pieces + finished('tool_calls')))), expected)
})

// calls, as hosts write them

test('calls without ids get some that no other answer has, and pieces find their calls', async () => {
  const wire = [
    call({ index: 0, ...fn('f', '{"x"') }),
    call({ index: 1, ...fn('g', '{"y":2}') }),
    call({ index: 0, ...fn(undefined, ':1}') }),
    finished('tool_calls'),
  ].join('')
  const [one, another] = [calls(assembled(await read(wire))), calls(assembled(await read(wire)))]
  const EXPECTED_ARGS = ['{"x":1}', '{"y":2}']
  for (const made of [one, another])
    assert.equal(
      made.map(each => each.at(-1)),
      EXPECTED_ARGS,
    )
  assert.is(new Set([...one, ...another].map(([id]) => id)).size, 4)
})

const EXPECTED = [
  ['a', 'f', '{"x":1}'],
  ['b', 'g', '{"y":2}'],
  ['c', 'f', ''],
]
const fn = (name: string | undefined, args: unknown) => ({ function: { ...(name && { name }), arguments: args } })

const CALL_STREAMS: Record<string, string[]> = {
  'pieces that alternate': [
    call({ index: 0, id: 'a', type: 'function', ...fn('f', '') }),
    call({ index: 1, id: 'b', type: 'function', ...fn('g', '') }),
    call({ index: 0, ...fn(undefined, '{"x"') }),
    call({ index: 1, ...fn(undefined, '{"y":') }),
    call({ index: 2, id: 'c', type: 'function', ...fn('f', '') }),
    call({ index: 0, ...fn(undefined, ':1}') }),
    call({ index: 1, ...fn(undefined, '2}') }),
  ],
  'ids and names in every piece': [
    call({ index: 0, id: 'a', ...fn('f', '{"x"') }),
    call({ index: 0, id: 'a', ...fn('f', ':1}') }),
    call({ index: 1, id: 'b', ...fn('g', '{"y":2}') }),
    call({ index: 2, id: 'c', ...fn('f', null) }),
  ],
  'all in one chunk': [
    delta({
      tool_calls: [
        { index: 0, id: 'a', ...fn('f', '{"x":1}') },
        { index: 1, id: 'b', ...fn('g', '{"y":2}') },
        { index: 2, id: 'c', ...fn('f', '') },
      ],
    }),
  ],
  'no index': [
    call({ id: 'a', ...fn('f', '{"x"') }),
    call({ ...fn(undefined, ':1}') }),
    call({ id: 'b', ...fn('g', '{"y":2}') }),
    call({ id: 'c', ...fn('f', '') }),
  ],
  'every call at index 0': [
    call({ index: 0, id: 'a', ...fn('f', '{"x":1}') }),
    call({ index: 0, id: 'b', ...fn('g', '{"y":2}') }),
    call({ index: 0, id: 'c', ...fn('f', '') }),
  ],
  'empty ids and names in later pieces': [
    call({ index: 0, id: 'a', ...fn('f', '') }),
    call({ index: 0, id: '', function: { name: '', arguments: '{"x":1}' } }),
    call({ index: 1, id: 'b', ...fn('g', '{"y":2}') }),
    call({ index: 2, id: 'c', ...fn('f', '') }),
  ],
  'arguments as objects': [
    call({ index: 0, id: 'a', ...fn('f', { x: 1 }) }),
    call({ index: 1, id: 'b', ...fn('g', { y: 2 }) }),
    call({ index: 2, id: 'c', ...fn('f', '') }),
  ],
  'the name after the id': [
    call({ index: 0, id: 'a' }),
    call({ index: 0, ...fn('f', '{"x":1}') }),
    call({ index: 1, id: 'b', ...fn('g', '{"y":2}') }),
    call({ index: 2, id: 'c', ...fn('f', '') }),
  ],
}

for (const [name, chunks] of Object.entries(CALL_STREAMS)) {
  test(`keeps three calls apart: ${name}`, async () => {
    const completion = assembled(await read(chunks.join('') + finished('stop')))
    assert.equal(calls(completion), EXPECTED)
    assert.is(completion.stop.reason, 'tool_use')
  })
}

test('a call without arguments goes out with {}, after all pieces of the others', async () => {
  const encoder = format.streamEncoder(quiet, reply)
  const events = await read((CALL_STREAMS['pieces that alternate'] ?? []).join('') + finished('tool_calls'))
  const wire = events.map(event => encoder.push(event)).join('')
  assert.equal(calls(assembled(await read(wire))), [...EXPECTED.slice(0, 2), ['c', 'f', '{}']])
})

// what else hosts do

test('a first chunk without choices begins nothing', async () => {
  const filter = chunk({ id: '', model: '', choices: [], prompt_filter_results: [] })
  const completion = assembled(await read(filter + delta({ role: 'assistant', content: 'Hi' }) + finished('stop')))
  assert.equal(completion, {
    id: 'c-1',
    model: 'm',
    created: 7,
    blocks: [{ type: 'text', text: 'Hi' }],
    stop: { reason: 'stop' },
  })
})

test('the finish reason may come with text, without a role, in a message, with no delta at all', async () => {
  for (const wire of [
    delta({ content: 'Hi' }, 'stop') + DONE,
    chunk({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] }) + DONE,
    delta({ content: 'Hi' }) + chunk({ choices: [{ index: 0, finish_reason: 'stop' }] }) + DONE,
    chunk({ choices: [null] }) + delta({ content: [{ type: 'text', text: 'Hi' }] }, 'STOP') + DONE,
  ]) {
    const events = await read(wire)
    const completion = assembled(events)
    assert.equal(completion.blocks, [{ type: 'text', text: 'Hi' }])
    assert.equal(
      events.slice(-2).map(({ type }) => type),
      ['stop', 'end'],
    )
  }
})

test('usage is found in the last chunk, in any chunk and where single hosts put it', async () => {
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
  const text = delta({ content: 'Hi' })
  for (const wire of [
    text + delta({}, 'stop') + chunk({ choices: [], usage }) + DONE,
    text + delta({}, 'stop') + chunk({ usage }) + DONE,
    text + chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage }) + DONE,
    text + chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }) + DONE,
    text + chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], x_groq: { usage } }) + DONE,
    chunk({ choices: [{ index: 0, delta: { content: 'Hi' } }], usage: { ...usage, completion_tokens: 1 } }) +
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage }) +
      DONE,
  ]) {
    assert.equal(assembled(await read(wire)).usage, { input: 3, output: 2 })
  }
})

test('reasoning is read once, from whichever field holds it', async () => {
  for (const fields of [
    { reasoning_content: 'hm' },
    { reasoning: 'hm' },
    { reasoning_content: 'hm', reasoning: 'hm' },
    { reasoning_content: '', reasoning: 'hm' },
    { reasoning: 'hm', reasoning_details: [{ type: 'reasoning.text', text: 'hm' }] },
    { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] },
  ]) {
    const { blocks } = assembled(await read(delta(fields) + delta({ content: 'Hi' }) + finished('stop')))
    assert.equal(blocks, [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'Hi' },
    ])
  }
})

test("an error in the stream is thrown with the vendor's type and words", async () => {
  const error = { message: 'overloaded, try later', type: 'overloaded_error' }
  const thrown = await failure(delta({ content: 'Hi' }) + chunk({ error }))
  assert.instance(thrown, StreamFault)
  assert.match(thrown.message, 'overloaded_error: overloaded, try later')
  assert.match((await failure(`event: error\ndata: {"message":"no"}\n\n`)).message, 'no')
  assert.match((await failure('data: {"error":"plain"}\n\n')).message, 'plain')
})

test('what is not a chunk is an error that does not repeat it', async () => {
  const { message } = await failure('data: <html>secret\n\n')
  assert.not.match(message, 'secret')
  await failure('data: [1]\n\n')
  await failure(call({ index: 0, ...fn(undefined, '{}') }) + finished('tool_calls'))
})

test('a missing terminator is forgiven after a finish reason only, and the answer kept only if nothing can be missing', async () => {
  const decoder = format.streamDecoder()
  decoder.push({ data: delta({ content: 'Hi' }, 'stop').slice(6).trim() })
  const missing = { type: 'unmodelled', what: 'a missing terminator' }
  assert.equal(decoder.finish(), [{ events: [missing, { type: 'end' }], wire: DONE }])
  assert.equal(decoder.finish(), [])
  const framed = format.streamDecoder()
  framed.push({ data: delta({ content: 'Hi' }, 'stop').slice(6).trim() })
  assert.equal(framed.finish(true), [{ events: [{ type: 'end' }], wire: DONE }])
  assert.throws(() => format.streamDecoder().finish(true), 'before a finish reason')
  assert.match((await failure(delta({ content: 'Hi' }))).message, 'before a finish reason')
  assert.match((await failure('')).message, 'before a finish reason')
})

test('a terminator without a finish reason is a broken stream', async () => {
  assert.match((await failure(DONE)).message, 'before a finish reason')
  assert.match((await failure(delta({ content: 'Hi' }) + DONE)).message, 'before a finish reason')
})

test('each choice has to come to its end, in whatever order', async () => {
  const of = (index: number, finish_reason: string | null = null) =>
    chunk({ choices: [{ index, delta: finish_reason === null ? { content: 'Hi' } : {}, finish_reason }] })
  const both = of(0) + of(1)
  for (const end of ['', DONE]) {
    assert.match((await failure(both + of(0, 'stop') + end)).message, 'before a finish reason')
    assert.match((await failure(both + of(1, 'stop') + end)).message, 'before a finish reason')
    for (const stops of [of(0, 'stop') + of(1, 'length'), of(1, 'stop') + of(0, 'stop')])
      assert.ok((await read(both + stops + end)).some(({ type }) => type === 'end'))
  }
})

test('what follows the terminator is ignored', async () => {
  const events = await read(delta({ content: 'Hi' }) + finished('stop') + delta({ content: '!' }) + DONE)
  assert.is(events.filter(({ type }) => type === 'end').length, 1)
  assert.equal(assembled(events).blocks, [{ type: 'text', text: 'Hi' }])
})

test('what the canonical shape cannot hold is marked as not to be kept, once', async () => {
  for (const extra of [
    chunk({ choices: [{ index: 1, delta: { content: 'other' }, finish_reason: 'stop' }] }),
    chunk({ choices: [{ index: 0, delta: {}, logprobs: { content: [{ token: 'a' }] } }] }),
    delta({ audio: { id: 'x' } }),
    delta({ content: [{ type: 'reference', reference_ids: [1] }] }),
    delta({ extra_content: { google: { thought_signature: 'x' } } }),
    chunk({ choices: [], citations: ['https://example.org'] }),
  ]) {
    const events = await read(delta({ content: 'Hi' }) + extra + extra + finished('stop'))
    assert.is(events.filter(({ type }) => type === 'unmodelled').length, 1)
    assert.equal(assembled(events).blocks, [{ type: 'text', text: 'Hi' }])
  }
  const empty = chunk({ choices: [{ index: 0, delta: { content: 'Hi' }, logprobs: { content: [] } }] })
  assert.not.ok((await read(empty + finished('stop'))).some(({ type }) => type === 'unmodelled'))
})

// passing on

async function frames(wire: string): Promise<Frame[]> {
  const decoder = format.streamDecoder()
  const out: Frame[] = []
  for await (const event of sseEvents(chunked(Buffer.from(wire), [])))
    out.push({ events: decoder.push(event), wire: sseText(event) })
  return [...out, ...decoder.finish()]
}

test('the chunk with nothing but usage goes only to those who asked', async () => {
  const usage = { prompt_tokens: 3, completion_tokens: 2 }
  const both = chunk({ choices: [{ index: 0, delta: { content: '"choices":[]' } }], usage })
  const only = chunk({ choices: [], usage, unknown: 12 })
  const wire = both + delta({}, 'stop') + only + DONE
  const passed = async (prompt = quiet) => (await frames(wire)).map(frame => format.passFrame(frame, prompt)).join('')
  assert.is(await passed(counting), wire)
  assert.is(await passed(quiet), both + delta({}, 'stop') + DONE)
})

test('an answer that begins with a call has no empty text before it', () => {
  const write = (blocks: Completion['blocks']): { content?: unknown }[] => {
    const completion: Completion = { id: 'i', model: 'm', created: 1, blocks, stop: { reason: 'tool_use' } }
    const encoder = format.streamEncoder(quiet, reply)
    const chunks = [...replay(completion)].map(event => encoder.push(event)).join('')
    const data = chunks.split('\n\n').filter(text => text.startsWith('data: {'))
    return data.map(text => JSON.parse(text.slice(6)).choices[0].delta)
  }
  const call = { type: 'tool_call' as const, id: 'call_1', name: 'now', args: '{}' }
  const [first, second] = write([call])
  assert.equal(first, { role: 'assistant', content: null, refusal: null })
  assert.ok(second && !('content' in second))
  assert.equal(write([{ type: 'reasoning', text: 'Hm.' }, call])[0]?.content, null)
  assert.equal(write([{ type: 'text', text: 'Hm.' }, call])[0]?.content, '')
  assert.equal(write([])[0]?.content, '')
})

test.run()
