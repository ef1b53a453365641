import { type ChatFormat, promptOf, type StreamForm } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { joinedChat, joinedMessages } from '../../support/joined-stream.ts'
import { CHAT_STREAMS, chatText, MESSAGES_STREAMS, messagesText } from '../../support/vendor-streams.ts'

const reply = { id: 'r1', created: 1_790_000_000, layer: 'l1a' }
const body = { messages: [{ role: 'user', content: 'Hi' }], stream: true, stream_options: { include_usage: true } }

const formOf = ({ streamForm }: ChatFormat): StreamForm => {
  if (!streamForm) throw new Error('the format keeps no streams')
  return streamForm
}

function recorded(format: ChatFormat, wires: readonly string[]): string {
  const record = formOf(format).record()
  for (const wire of wires) record.add(wire)
  return record.text() ?? ''
}

const sent = (format: ChatFormat, text: string): string[] => [
  ...formOf(format).send(text, promptOf(format, Buffer.from(JSON.stringify(body)), body), reply),
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
  (value: object): string => JSON.stringify(value).replaceAll('":', '": '),
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
  const events = sent(chatCompletions, recorded(chatCompletions, chatText(stream)))
  assert.ok(events.length > 4)
  for (const event of events) assert.ok(event.length < 600, event)
})

test('a stream that is in doubt is not kept', () => {
  const record = formOf(messages).record()
  const [stream] = MESSAGES_STREAMS
  for (const wire of stream ? messagesText(stream) : []) record.add(wire)
  record.drop()
  assert.is(record.text(), undefined)
})

test.run()
