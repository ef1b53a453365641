import { isDeepStrictEqual } from 'node:util'
import type { AnswerEvent, StreamDecoder, WireEvent } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import { sseEvents } from 'deflector/formats/sse'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ChatStreamDecoder } from '../../../plugins/formats/chat-completions/stream-decoder.ts'
import { MessagesStreamDecoder } from '../../../plugins/formats/messages/stream-decoder.ts'
import { CHAT_STREAMS, MESSAGES_STREAMS } from '../../support/vendor-streams.ts'

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

async function decoded(decoder: StreamDecoder, text: string): Promise<AnswerEvent[]> {
  const events: AnswerEvent[] = []
  for await (const event of sseEvents(bytesOf(text))) events.push(...decoder.push(event))
  return events
}

for (const [plain, format, streams] of [
  [() => new ChatStreamDecoder(), chatCompletions, CHAT_STREAMS],
  [() => new MessagesStreamDecoder(), messages, MESSAGES_STREAMS],
] as const) {
  test(`${format.name}: what is not read says the same as if it were`, async () => {
    for (const text of streams.map(({ wires }) => wires.join('')))
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

/** As a reader takes a list of events that came together. */
async function inRuns(decoder: StreamDecoder, text: string): Promise<AnswerEvent[]> {
  const together: WireEvent[] = []
  for await (const event of sseEvents(bytesOf(text))) together.push(event)
  const events: AnswerEvent[] = []
  for (let at = 0, event = together[0]; event; event = together[at]) {
    const run = decoder.run?.(together, at, at + 3)
    events.push(...(run ? [run.said] : decoder.push(event)))
    at += run?.length ?? 1
  }
  return events
}

/** Neighbours that go on with each other's text are one. */
function joined(events: readonly AnswerEvent[]): AnswerEvent[] {
  const all: AnswerEvent[] = []
  for (const event of events) {
    const last = all.at(-1)
    if (!last || !('text' in last && 'text' in event)) all.push(event)
    else if (isDeepStrictEqual({ ...last, text: '' }, { ...event, text: '' }))
      all.splice(-1, 1, { ...event, text: last.text + event.text })
    else all.push(event)
  }
  return all
}

test('events that came together say the same in fewer words', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(word), fc.boolean(), async (words, escapes) => {
      const text = words
        .map(content => ({ id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta: { content } }] }))
        .map(chunk => JSON.stringify(chunk).replaceAll(escapes ? 'a' : '\0', '\\u0061'))
        .map(json => `data: ${json}\n\n`)
        .join('')
      const runs = await inRuns(chatCompletions.streamDecoder(), text)
      assert.equal(joined(runs), joined(await decoded(new ChatStreamDecoder(), text)))
    }),
  )
  const four = ['a', 'b', 'c', 'd'].map(
    content => `data: {"id":"i","choices":[{"delta":{"content":"${content}"}}]}\n\n`,
  )
  const events = await inRuns(chatCompletions.streamDecoder(), four.join(''))
  assert.equal(events.slice(1), [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
    { type: 'text', text: 'cd' },
  ])
})

test('an event that is not JSON ends a run, and fails for itself', () => {
  const decoder = chatCompletions.streamDecoder()
  const [first, ...events] = ['-', 'a', 'b', 'c', '\\x'].map(content => ({
    data: `{"choices":[{"delta":{"content":"${content}"}}]}`,
  }))
  decoder.push(first ?? { data: '' })
  assert.equal(decoder.push(events[0] ?? { data: '' }), [{ type: 'text', text: 'a' }])
  assert.equal(decoder.run?.(events, 1, 3)?.said, { type: 'text', text: 'bc' })
  assert.is(decoder.run?.(events, 1, 4), undefined)
  assert.throws(() => decoder.push(events[3] ?? { data: '' }), 'a chunk is not JSON')
})

test.run()
