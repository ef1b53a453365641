import { type AnswerEvent, Assembler, type ChatFormat, type Completion, type Frame, promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import { sseEvents, sseText } from 'deflector/formats/sse'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Divergence, mayComeAgain, SameBeginning } from '../../../../plugins/layers/cloud/same-beginning.ts'
import { DIALECTS, type Sample } from '../../../contracts/vendor-wire.ts'

const LONG = 'a heron is a bird with long legs; 鷺は鳥です 🐦 and no words of it come twice'

const SAMPLES: readonly Sample[] = [
  { text: LONG },
  { text: 'I look it up', toolCalls: [{ id: 'call_1', name: 'find', arguments: '{"bird":"heron"}' }] },
  {
    text: 'I look them up',
    toolCalls: [
      { id: 'call_1', name: 'find', arguments: '{"bird":"heron"}' },
      { id: 'call_2', name: 'count', arguments: '{}' },
    ],
  },
]

const WIRES: readonly (readonly [ChatFormat, string, object])[] = [
  [
    chatCompletions,
    '/chat/completions',
    { model: 'm', stream: true, stream_options: { include_usage: true }, messages: [{ role: 'user', content: 'hi' }] },
  ],
  [messages, '/messages', { model: 'm', stream: true, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }],
  [responses, '/responses', { model: 'm', stream: true, store: false, input: 'hi' }],
]

async function framesOf(format: ChatFormat, text: string): Promise<readonly Frame[]> {
  const decoder = format.streamDecoder()
  const frames: Frame[] = []
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text)
  }
  for await (const event of sseEvents(bytes())) frames.push({ events: decoder.push(event), wire: sseText(event) })
  return frames
}

function completionOf(events: readonly AnswerEvent[]): Completion {
  const assembler = new Assembler()
  for (const event of events) assembler.add(event)
  assert.ok(assembler.ended)
  const { usage, ...rest } = assembler.completion()
  // A detail that is 0 may be said or not.
  return { ...rest, usage: { input: usage?.input ?? 0, output: usage?.output ?? 0 } }
}

const eventsOf = (frames: readonly Frame[]): readonly AnswerEvent[] => frames.flatMap(({ events }) => events)

for (const [format, path, body] of WIRES) {
  for (const [at, sample] of SAMPLES.entries()) {
    test(`${format.name}: sample ${at}, broken off anywhere in its text, is the same on the wire as one that was not`, async () => {
      const prompt = promptOf(format, Buffer.from(JSON.stringify(body)), body)
      const facts = { number: 1, model: 'm', body: { ...body } }
      const frames = await framesOf(format, DIALECTS[path]?.stream(sample, facts).join('') ?? '')
      const events = eventsOf(frames)
      const expected = completionOf(events)
      const end = frames.findIndex(frame => !mayComeAgain(frame.events))
      const first = frames.findIndex(frame => frame.events.some(({ type }) => type === 'text'))
      assert.ok(first >= 0 && end > first)
      for (let cut = first + 1; cut <= end; cut++) {
        const sent = frames.slice(0, cut)
        const encoder = format.resumedEncoder?.(sent, prompt)
        assert.ok(encoder, `after ${cut} frames`)
        const same = new SameBeginning(eventsOf(sent), undefined)
        const rest = events.flatMap(event => same.push(event)).map(event => encoder.push(event))
        const read = await framesOf(format, sent.map(({ wire }) => wire).join('') + rest.join(''))
        assert.equal(completionOf(eventsOf(read)), expected, `after ${cut} frames`)
      }
    })
  }
}

test('generate-content: the rest of a stream bears its id', () => {
  const body = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }
  const prompt = promptOf(generateContent, Buffer.from(JSON.stringify(body)), body, {
    path: '/v1beta/models/m:streamGenerateContent',
    params: { called: 'm:streamGenerateContent' },
    query: new URLSearchParams('alt=sse'),
    headers: {},
  })
  const sent: Frame[] = [
    {
      events: [
        { type: 'start', id: 'r1', model: 'm', created: 1 },
        { type: 'text', text: 'one ' },
      ],
      wire: 'data: {}\n\n',
    },
  ]
  const encoder = generateContent.resumedEncoder?.(sent, prompt)
  const wire = [
    { type: 'text', text: 'two' } as const,
    { type: 'stop', stop: { reason: 'stop' } } as const,
    { type: 'end' } as const,
  ]
    .map(event => encoder?.push(event))
    .join('')
  const bodies = [...wire.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
  assert.ok(bodies.length > 0 && bodies.every(({ responseId }) => responseId === 'r1'))
  assert.is(
    bodies
      .flatMap(({ candidates }) => candidates[0].content?.parts ?? [])
      .map(part => part.text)
      .join(''),
    'two',
  )
})

test('any cut of a text is gone on with, and any change in it is noticed', () => {
  const words = Array.from(LONG)
  const sent: AnswerEvent[] = [{ type: 'text', text: LONG.slice(0, 20) }]
  for (let size = 1; size <= words.length; size++) {
    const same = new SameBeginning(sent, undefined)
    let rest = ''
    for (let at = 0; at < words.length; at += size)
      for (const event of same.push({ type: 'text', text: words.slice(at, at + size).join('') }))
        if (event.type === 'text') rest += event.text
    assert.is(LONG.slice(0, 20) + rest, LONG, `pieces of ${size}`)
  }
  for (let at = 0; at < 20; at++) {
    const other = `${LONG.slice(0, at)}#${LONG.slice(at + 1)}`
    assert.throws(
      () => new SameBeginning(sent, undefined).push({ type: 'text', text: other }),
      (error: unknown) => error instanceof Divergence,
    )
  }
})

test.run()
