import { type ChatFormat, type JsonObject, promptOf, type StreamForm } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { joinedChat, joinedMessages, joinedResponses } from '../../support/joined-stream.ts'
import { CHAT_STREAMS, MESSAGES_STREAMS, RESPONSES_STREAMS } from '../../support/vendor-streams.ts'

const reply = { id: 'r1', created: 1_790_000_000, layer: 'l1a' }
const body = {
  messages: [{ role: 'user', content: 'Hi' }],
  input: 'Hi',
  stream: true,
  stream_options: { include_usage: true },
}

const formOf = ({ streamForm }: ChatFormat): StreamForm => {
  if (!streamForm) throw new Error('the format keeps no streams')
  return streamForm
}

function recorded(format: ChatFormat, wires: readonly string[]): string {
  const record = formOf(format).record()
  for (const wire of wires) record.add(wire)
  return record.text() ?? ''
}

const sent = (format: ChatFormat, text: string, asked: JsonObject = body): string[] => [
  ...formOf(format).send(text, promptOf(format, Buffer.from(JSON.stringify(asked)), asked), reply),
]

/** A text in pieces, with what could be taken for JSON, an event or a mark among them. */
const said = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '"content":"',
      '\\"text\\": \\"',
      '\n\ndata: ',
      'text',
      'text-',
      '\\',
      '"',
      '🗼',
      '\u0301',
      '{"a":1}',
    ),
    fc.string({ minLength: 60, maxLength: 200 }),
  ),
)

const spelled = fc.constantFrom(
  (value: object): string => JSON.stringify(value),
  (value: object): string => JSON.stringify(value).replace(/"(\w+)":/g, '"$1": '),
  // As hosts do whose JSON is ASCII alone.
  (value: object): string =>
    JSON.stringify(value).replace(/[\u007f-\uffff]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
)

test('a chat stream is kept and sent again with every text as it was', () => {
  fc.assert(
    fc.property(said, said, said, spelled, fc.boolean(), (thoughts, words, args, spell, drifts) => {
      let created = 7
      const chunk = (delta: object, finish_reason: string | null = null): string => {
        const facts = { id: 'c-1', created: drifts ? created++ : created, model: 'm', system_fingerprint: 'fp' }
        const data = JSON.stringify({ ...facts, choices: [{ index: 0, delta, finish_reason }] })
        return `data: ${spell(JSON.parse(data))}\n\n`
      }
      const call = (piece: string, id?: string) => ({
        tool_calls: [
          { index: 0, ...(id && { id, type: 'function' }), function: { ...(id && { name: 'f' }), arguments: piece } },
        ],
      })
      const wires = [
        chunk({ role: 'assistant', content: '' }),
        ...thoughts.map(text => chunk({ content: null, reasoning_content: text })),
        ...words.map(text => chunk({ content: text })),
        chunk(call('', 'call_1')),
        ...args.map(piece => chunk(call(piece))),
        chunk({}, 'tool_calls'),
        'data: [DONE]\n\n',
      ]
      const kept = recorded(chatCompletions, wires)
      const expected = joinedChat(wires.join(''))
      assert.equal(joinedChat(sent(chatCompletions, kept).join('')), expected)
      const whole = formOf(chatCompletions).toWhole(kept)
      assert.ok(whole)
      const again = formOf(chatCompletions).fromWhole(JSON.parse(Buffer.from(whole).toString()), whole)
      // A text of no characters says nothing, whether it stands there or not.
      const said = (text: string): string => JSON.stringify(text).replace(/"(?:content|reasoning_content)":"",?/g, '')
      const rewritten = joinedChat(sent(chatCompletions, again).join(''))
      assert.is(said(rewritten), said(expected))
    }),
  )
})

test('a messages stream is kept and sent again with every text as it was', () => {
  fc.assert(
    fc.property(said, said, spelled, (thoughts, words, spell) => {
      const event = (value: { readonly type: string } & Record<string, unknown>): string =>
        `event: ${value.type}\ndata: ${spell(value)}\n\n`
      const wires = [
        event({
          type: 'message_start',
          message: {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            model: 'm',
            content: [],
            usage: { input_tokens: 1 },
          },
        }),
        event({
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'thinking', thinking: '', signature: '' },
        }),
        ...thoughts.map(thinking =>
          event({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking } }),
        ),
        event({ type: 'content_block_stop', index: 0 }),
        event({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } }),
        ...words.map(text => event({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text } })),
        event({ type: 'content_block_stop', index: 1 }),
        event({
          type: 'message_delta',
          delta: { stop_reason: 'end_turn', stop_sequence: null },
          usage: { output_tokens: 5 },
        }),
        event({ type: 'message_stop' }),
      ]
      const kept = recorded(messages, wires)
      assert.equal(joinedMessages(sent(messages, kept).join('')), joinedMessages(wires.join('')))
    }),
  )
})

/** The events of a stream of responses with one thought, one message and one call. */
function responseWires(
  spell: (value: object) => string,
  [thoughts, words, args]: readonly [readonly string[], readonly string[], readonly string[]],
  padding: string | undefined,
): string[] {
  const [thought, text, input] = [thoughts.join(''), words.join(''), args.join('')]
  const summary = { type: 'summary_text', text: thought }
  const part = { type: 'output_text', annotations: [], logprobs: [], text }
  const items = [
    { id: 'rs_1', type: 'reasoning', summary: [summary], encrypted_content: 'gAAA' },
    { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content: [part] },
    { id: 'ctc_1', type: 'custom_tool_call', status: 'completed', call_id: 'c', name: 'f', input },
  ] as const
  const head = { id: 'resp_1', created_at: 7, model: 'm', metadata: { delta: text } }
  const begun = { ...head, status: 'in_progress', incomplete_details: null, output: [], usage: null }
  const whole = { ...head, status: 'completed', incomplete_details: null, output: items, usage: null }
  const at = (output_index: number, type: string, more: object) => ({
    type: `response.${type}`,
    item_id: items[output_index]?.id,
    output_index,
    ...more,
  })
  const said = (index: number, type: string, pieces: readonly string[], more: object) =>
    pieces.filter(delta => delta !== '').map(delta => ({ ...at(index, type, more), delta, obfuscation: padding }))
  const added = (output_index: number, item: object) => ({ type: 'response.output_item.added', output_index, item })
  const done = (output_index: number) => ({
    type: 'response.output_item.done',
    output_index,
    item: items[output_index],
  })
  const [first, second] = [{ summary_index: 0 }, { content_index: 0 }]
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    added(0, { id: 'rs_1', type: 'reasoning', summary: [] }),
    at(0, 'reasoning_summary_part.added', { ...first, part: { ...summary, text: '' } }),
    ...said(0, 'reasoning_summary_text.delta', thoughts, first),
    at(0, 'reasoning_summary_text.done', { ...first, text: thought }),
    at(0, 'reasoning_summary_part.done', { ...first, part: summary }),
    done(0),
    added(1, { ...items[1], status: 'in_progress', content: [] }),
    at(1, 'content_part.added', { ...second, part: { ...part, text: '' } }),
    ...said(1, 'output_text.delta', words, { ...second, logprobs: [] }),
    at(1, 'output_text.done', { ...second, text, logprobs: [] }),
    at(1, 'content_part.done', { ...second, part }),
    done(1),
    added(2, { ...items[2], status: 'in_progress', input: '' }),
    ...said(2, 'custom_tool_call_input.delta', args, {}),
    at(2, 'custom_tool_call_input.done', { input }),
    done(2),
    { type: 'response.completed', response: whole },
  ]
  return events.map((event, sequence_number) => {
    const data = JSON.parse(JSON.stringify({ ...event, sequence_number }))
    return `event: ${event.type}\ndata: ${spell(data)}\n\n`
  })
}

test('a stream of responses is kept and sent again with every text as it was, and so is the whole of it', () => {
  fc.assert(
    fc.property(
      said,
      said,
      said,
      spelled,
      fc.option(fc.base64String(), { nil: undefined }),
      (a, b, c, spell, padding) => {
        const wires = responseWires(spell, [a, b, c], padding)
        const expected = joinedResponses(wires.join(''))
        const { response } = JSON.parse(lastData(wires))
        const asked = { ...body, metadata: response.metadata }
        const kept = recorded(responses, wires)
        assert.equal(joinedResponses(sent(responses, kept, asked).join('')), expected)
        const whole = formOf(responses).toWhole(kept)
        assert.ok(whole)
        assert.equal(JSON.parse(Buffer.from(whole).toString()), response)
        const again = formOf(responses).fromWhole(JSON.parse(Buffer.from(whole).toString()), whole)
        assert.equal(joinedResponses(sent(responses, again, asked).join('')), expected)
      },
    ),
  )
})

const lastData = (wires: readonly string[]): string => wires.at(-1)?.split('\ndata: ')[1] ?? ''

test("a stream of responses has fresh ids where nobody keeps them, and its vendor's where the vendor does", () => {
  const [, stream] = RESPONSES_STREAMS
  if (!stream) return assert.unreachable()
  const { wires } = stream
  const kept = recorded(responses, wires)
  const idsIn = (text: string): string[] => [...new Set(text.match(/"(?:id|item_id)":"[^"]*"/g) ?? [])]
  assert.equal(idsIn(sent(responses, kept).join('')).sort(), [
    '"id":"ctc_r1_3"',
    '"id":"fc_r1_2"',
    '"id":"msg_r1_1"',
    '"id":"resp_r1"',
    '"id":"rs_vendor"',
    '"item_id":"ctc_r1_3"',
    '"item_id":"fc_r1_2"',
    '"item_id":"msg_r1_1"',
    '"item_id":"rs_vendor"',
  ])
  const prompt = promptOf(responses, Buffer.from(JSON.stringify(body)), body)
  const own = [...formOf(responses).send(kept, prompt, { ...reply, vendorId: 'resp_vendor' })].join('')
  assert.equal(idsIn(own).sort(), idsIn(wires.join('')).sort())
})

test('tokens and their probabilities stay together', () => {
  const text = 'a word that is long enough to be cut into pieces where it stands alone, '.repeat(2)
  const logprobs = ['a ', text].map(token => ({ token, logprob: -0.123456789012345, top_logprobs: [] }))
  const part = { type: 'output_text', text: `a ${text}`, annotations: [], logprobs }
  const item = { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content: [part] }
  const whole = { id: 'resp_1', created_at: 7, model: 'm', status: 'completed', output: [item] }
  const bytes = Buffer.from(JSON.stringify(whole))
  const events = sent(responses, recorded(responses, [formOf(responses).fromWhole(whole, bytes)]))
  const { items } = joinedResponses(events.join(''))
  assert.equal(items[0].done.content[0].logprobs, logprobs)
  assert.is(events.filter(event => event.includes('output_text.delta')).length, 2)
})

test('the items of a stream whose last event has none are those that came before', () => {
  const [stream] = RESPONSES_STREAMS
  if (!stream) return assert.unreachable()
  const { wires } = stream
  const end = JSON.parse(lastData(wires))
  const bare = `event: response.completed\ndata: ${JSON.stringify({ ...end, response: { ...end.response, output: [] } })}\n\n`
  const whole = formOf(responses).toWhole(recorded(responses, [...wires.slice(0, -1), bare]))
  assert.equal(whole && JSON.parse(Buffer.from(whole).toString()), end.response)
})

test('calls of a whole stand by their index in the stream, and in order where a host counts none', () => {
  const namesOf = (indexes: readonly (number | undefined)[]) => {
    const chunks = indexes.map((index, at) => {
      const call = { index, id: `call_${at}`, type: 'function', function: { name: `f${at}`, arguments: '{}' } }
      return { id: 'c', choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] }
    })
    const stop = { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }
    const wires = [...chunks, stop].map(chunk => `data: ${JSON.stringify(chunk)}\n\n`)
    const whole = formOf(chatCompletions).toWhole(recorded(chatCompletions, [...wires, 'data: [DONE]\n\n']))
    const { message } = JSON.parse(Buffer.from(whole ?? []).toString()).choices[0]
    return message.tool_calls.map((call: { function: { name: string } }) => call.function.name)
  }
  assert.equal(namesOf([1, 2, 0]), ['f2', 'f0', 'f1'])
  assert.equal(namesOf([0, 0, 0]), ['f0', 'f1', 'f2'])
  assert.equal(namesOf([undefined, undefined]), ['f0', 'f1'])
})

test("a compaction is one delta, and the whole of it is the vendor's summary", () => {
  const block = { type: 'compaction', content: 'They spoke of cats.', encrypted_content: 'gAAA', novelty: 1 }
  const { content, encrypted_content, ...opening } = block
  const text = { type: 'text', text: 'Go on.' }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', usage: { input_tokens: 9 } }
  const end = { stop_reason: 'end_turn', stop_sequence: null }
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
    { type: 'content_block_start', index: 0, content_block: { ...opening, content: null } },
    { type: 'content_block_delta', index: 0, delta: { type: 'compaction_delta', content, encrypted_content } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Go on.' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: end, usage: { input_tokens: 9, output_tokens: 3 } },
    { type: 'message_stop' },
  ]
  const decoder = messages.streamDecoder()
  const read = events.flatMap(event => decoder.push({ data: JSON.stringify(event) }))
  assert.not(read.some(({ type }) => type === 'unmodelled'))
  assert.equal(
    read.find(({ type }) => type === 'opaque'),
    { type: 'opaque', format: 'messages', value: block },
  )
  const wires = events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  const whole = Buffer.from(formOf(messages).toWhole(recorded(messages, wires)) ?? [])
  const answer = JSON.parse(whole.toString())
  assert.equal(answer.content, [block, text])
  const again = sent(messages, formOf(messages).fromWhole(answer, whole))
  assert.equal(joinedMessages(again.join('')).blocks, joinedMessages(wires.join('')).blocks)
})

test('what is kept of a stream is little more than its text', () => {
  const facts = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 7, model: 'm', system_fingerprint: 'fp' }
  const wires = Array.from({ length: 2000 }, (_, i) => {
    const choices = [{ index: 0, delta: { content: `word ${i} ` }, logprobs: null, finish_reason: null }]
    return `data: ${JSON.stringify({ ...facts, choices, obfuscation: 'ab'.repeat(i % 9) })}\n\n`
  })
  const text = Array.from({ length: 2000 }, (_, i) => `word ${i} `).join('')
  assert.ok(recorded(chatCompletions, wires).length < text.length + 400)
})

test('a long text goes out in pieces again', () => {
  const [stream] = CHAT_STREAMS
  if (!stream) return assert.unreachable()
  const events = sent(chatCompletions, recorded(chatCompletions, stream.wires))
  assert.ok(events.length > 4)
  for (const event of events) assert.ok(event.length < 600, event)
})

test('a stream that is in doubt is not kept', () => {
  const record = formOf(messages).record()
  const [stream] = MESSAGES_STREAMS
  for (const wire of stream?.wires ?? []) record.add(wire)
  record.drop()
  assert.is(record.text(), undefined)
})

test.run()
