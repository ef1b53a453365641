import { type AnswerEvent, type ChatFormat, promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import { sseEvents } from 'deflector/formats/sse'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkChatGrammar } from '../../support/grammar/chat-completions.ts'
import { checkMessagesGrammar } from '../../support/grammar/messages.ts'
import { CHAT_STREAMS, MESSAGES_STREAMS } from '../../support/vendor-streams.ts'
import { reply } from './messages-stream.ts'

/** However a vendor's stream is spelled and cut on its way, it is the same answer. */

const formats = [
  { format: chatCompletions, streams: CHAT_STREAMS },
  { format: messages, streams: MESSAGES_STREAMS },
]

/** A way to write the same events. */
interface Spelling {
  readonly newline: '\n' | '\r\n' | '\r'
  readonly space: boolean
  readonly mark: boolean
  /** Before which events a comment stands. */
  readonly comments: readonly number[]
}

const PLAIN: Spelling = { newline: '\n', space: true, mark: false, comments: [] }

function spelled(events: readonly string[], { newline, space, mark, comments }: Spelling): Buffer {
  const text = events
    .map((event, i) => (comments.includes(i) ? `: still "there" 🗼\n${i % 2 === 0 ? '\n' : ''}${event}` : event))
    .join('')
  const lines = space ? text : text.replace(/^(data|event): /gm, '$1:')
  return Buffer.from((mark ? '\ufeff' : '') + lines.replaceAll('\n', newline))
}

async function* pieces(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const at = cuts.map(cut => cut % (bytes.length + 1)).sort((a, b) => a - b)
  for (const [i, to] of [...at, bytes.length].entries()) yield bytes.subarray(at[i - 1] ?? 0, to)
}

async function read(format: ChatFormat, chunks: AsyncIterable<Uint8Array>): Promise<AnswerEvent[]> {
  const decoder = format.streamDecoder()
  const events: AnswerEvent[] = []
  for await (const event of sseEvents(chunks)) events.push(...decoder.push(event))
  return [...events, ...decoder.finish(true).flatMap(frame => frame.events)]
}

const spelling = fc.record<Spelling>({
  newline: fc.constantFrom('\n', '\r\n', '\r'),
  space: fc.boolean(),
  mark: fc.boolean(),
  comments: fc.array(fc.nat(40), { maxLength: 4 }),
})

for (const { format, streams } of formats) {
  for (const stream of streams) {
    test(`${format.name}: ${stream.name}: is the same however it is spelled and cut`, async () => {
      const events = stream.wires
      const expected = await read(format, pieces(spelled(events, PLAIN), []))
      assert.is(expected.at(-1)?.type, 'end')
      await fc.assert(
        fc.asyncProperty(spelling, fc.array(fc.nat(), { maxLength: 30 }), async (how, cuts) => {
          assert.equal(await read(format, pieces(spelled(events, how), cuts)), expected)
        }),
        { numRuns: 40 },
      )
      for (const newline of ['\n', '\r\n', '\r'] as const) {
        const bytes = spelled(events, { ...PLAIN, newline })
        assert.equal(await read(format, pieces(bytes, [...bytes.keys()])), expected, 'byte by byte')
      }
    })
  }

  test(`${format.name}: a cut at every single byte changes nothing`, async () => {
    const [stream] = [...streams].sort((a, b) => a.wires.join('').length - b.wires.join('').length)
    if (!stream) throw new Error('there is no stream')
    for (const newline of ['\n', '\r\n', '\r'] as const) {
      const bytes = spelled(stream.wires, { ...PLAIN, newline, mark: true })
      const expected = await read(format, pieces(bytes, []))
      for (const at of bytes.keys()) assert.equal(await read(format, pieces(bytes, [at])), expected, `at ${at}`)
    }
  })
}

const clients = [
  {
    format: chatCompletions,
    check: checkChatGrammar,
    body: { messages: [{ role: 'user', content: 'Hi' }], stream: true, stream_options: { include_usage: true } },
  },
  {
    format: messages,
    check: checkMessagesGrammar,
    body: { messages: [{ role: 'user', content: 'Hi' }], stream: true },
  },
]

for (const vendor of formats) {
  for (const { format, check, body } of clients) {
    test(`what ${vendor.format.name} vendors stream is told to a client of ${format.name} by its grammar`, async () => {
      const prompt = promptOf(format, Buffer.from(JSON.stringify(body)), body)
      for (const stream of vendor.streams) {
        const events = await read(vendor.format, pieces(spelled(stream.wires, PLAIN), []))
        const encoder = format.streamEncoder(prompt, reply)
        check(events.map(event => encoder.push(event)).join(''))
      }
    })
  }
}

test.run()
