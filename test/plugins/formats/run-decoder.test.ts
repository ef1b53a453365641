import type { AnswerEvent, StreamDecoder } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import { sseEvents } from 'deflector/formats/sse'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ChatStreamDecoder } from '../../../plugins/formats/chat-completions/stream-decoder.ts'
import { MessagesStreamDecoder } from '../../../plugins/formats/messages/stream-decoder.ts'
import { CHAT_STREAMS, chatText, MESSAGES_STREAMS, messagesText } from '../../support/vendor-streams.ts'

async function decoded(decoder: StreamDecoder, text: string): Promise<AnswerEvent[]> {
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text)
  }
  const events: AnswerEvent[] = []
  for await (const event of sseEvents(whole())) events.push(...decoder.push(event))
  return events
}

for (const [plain, format, texts] of [
  [() => new ChatStreamDecoder(), chatCompletions, CHAT_STREAMS.map(chatText)],
  [() => new MessagesStreamDecoder(), messages, MESSAGES_STREAMS.map(messagesText)],
] as const) {
  test(`${format.name}: what is not read says the same as if it were`, async () => {
    for (const text of texts.map(events => events.join('')))
      assert.equal(await decoded(format.streamDecoder(), text), await decoded(plain(), text))
  })
}

const word = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '"', '\\', '"content":"', '"}}]}', '\n'))
const delta = fc.oneof(
  fc.record({ content: word }),
  fc.record({ content: word, reasoning_content: word }),
  fc.record({ reasoning_content: word }),
  fc.record({ refusal: word }),
  fc.record({ content: fc.constant(null) }),
  word.map(text => ({ tool_calls: [{ index: 0, id: 'call_1', function: { name: 'f', arguments: text } }] })),
)

test('whatever the texts and the order of the deltas are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(delta), fc.boolean(), async (deltas, ascii) => {
      const chunks = deltas.map(each => {
        const json = JSON.stringify({ id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta: each }] })
        const spelled = json.replace(/[\u007f-\uffff]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
        return `data: ${ascii ? spelled : json}\n\n`
      })
      const text = chunks.flatMap(chunk => [chunk, chunk]).join('')
      assert.equal(await decoded(chatCompletions.streamDecoder(), text), await decoded(new ChatStreamDecoder(), text))
    }),
  )
})

test.run()
