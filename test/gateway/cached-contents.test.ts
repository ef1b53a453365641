import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const usageMetadata = (made: number) => ({
  promptTokenCount: 7,
  candidatesTokenCount: made,
  totalTokenCount: 7 + made,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 7 }],
  serviceTier: 'standard',
})
const frame = (parts: readonly object[], more: object = {}, made = 1): object => ({
  candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }],
  usageMetadata: usageMetadata(made),
  modelVersion: 'gemini-3.8-flash',
  responseId: 'vendor-id',
})

/** Frames in the shapes that the vendor sends, and the parts that they amount to. */
const STREAMS: readonly (readonly [
  name: string,
  frames: readonly object[],
  parts: readonly object[],
  more?: object,
])[] = [
  [
    'thoughts, their proof and a text',
    [
      frame([{ text: 'First ', thought: true }]),
      frame([{ text: 'the map.', thought: true }], {}, 2),
      frame([{ text: 'Paris, ' }], {}, 3),
      frame([{ text: '“la ville”.' }], {}, 4),
      frame([{ text: '', thoughtSignature: 'c2ln' }], { finishReason: 'STOP' }, 5),
    ],
    [
      { text: 'First the map.', thought: true },
      { text: 'Paris, “la ville”.', thoughtSignature: 'c2ln' },
    ],
  ],
  [
    'two calls',
    [
      frame([{ functionCall: { name: 'weather', args: { city: 'Paris' } }, thoughtSignature: 'c2ln' }]),
      frame([{ functionCall: { name: 'now', args: {} } }], { finishReason: 'STOP' }, 9),
    ],
    [
      { functionCall: { name: 'weather', args: { city: 'Paris' } }, thoughtSignature: 'c2ln' },
      { functionCall: { name: 'now', args: {} } },
    ],
  ],
  [
    'what a search found, and members that nobody knows',
    [
      frame([{ text: 'It is Paris.' }], { mood: 'glad' }),
      frame(
        [{ text: '' }],
        {
          finishReason: 'STOP',
          groundingMetadata: { webSearchQueries: ['paris'], searchEntryPoint: { renderedContent: '<b>' } },
        },
        6,
      ),
    ],
    [{ text: 'It is Paris.' }],
    { mood: 'glad', groundingMetadata: { webSearchQueries: ['paris'], searchEntryPoint: { renderedContent: '<b>' } } },
  ],
]

const framesIn = (text: string): object[] =>
  text
    .split('\n\n')
    .filter(event => event.startsWith('data: '))
    .map(event => JSON.parse(event.slice(6)))
const withoutId = ({ responseId: _, ...rest }: Record<string, unknown>) => rest

for (const [name, frames, parts, more = {}] of STREAMS) {
  test(`generate-content: ${name}: the cache says what the vendor said, as a stream, as a list and whole`, async () => {
    const upstream = await startUpstream()
    upstream.script({ sse: frames.map(each => `data: ${JSON.stringify(each)}\n\n`) })
    const gateway = await startGateway({ upstream, provider: 'gemini' })
    const model = '/v1beta/models/gemini-3.8-flash'
    const body = { contents: [{ role: 'user', parts: [{ text: name }] }] }
    const sent = (path: string) => gateway.send(model + path, JSON.stringify(body))
    const miss = await sent(':streamGenerateContent?alt=sse')
    assert.equal(framesIn(miss.text), frames)
    const hit = await sent(':streamGenerateContent?alt=sse')
    assert.is(hit.headers.get('x-service-layer'), 'l1a')
    assert.equal(
      framesIn(hit.text).map(each => withoutId({ ...each })),
      frames.map(each => withoutId({ ...each })),
    )
    assert.not.match(hit.text, /vendor-id/)
    const list = await sent(':streamGenerateContent')
    assert.equal(
      JSON.parse(list.text).map(withoutId),
      frames.map(each => withoutId({ ...each })),
    )
    const whole = await sent(':generateContent')
    assert.is(whole.headers.get('x-service-layer'), 'l1a')
    const { responseId, ...answer } = JSON.parse(whole.text)
    assert.not.match(responseId, /vendor-id/)
    assert.equal(answer.candidates, [{ content: { role: 'model', parts }, index: 0, finishReason: 'STOP', ...more }])
    assert.equal(answer.usageMetadata, usageMetadata([5, 9, 6][STREAMS.findIndex(([one]) => one === name)] ?? 0))
    assert.is(upstream.calls.length, 1)
  })

  test(`generate-content: ${name}: a stream of what was answered whole leaves nothing out`, async () => {
    const upstream = await startUpstream()
    const json = { ...frame(parts, { finishReason: 'STOP', ...more }, 9) }
    upstream.script({ json })
    const gateway = await startGateway({ upstream, provider: 'gemini' })
    const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: name }] }] })
    await gateway.send('/v1beta/models/m:generateContent', body)
    const hit = await gateway.send('/v1beta/models/m:streamGenerateContent?alt=sse', body)
    assert.is(hit.headers.get('x-service-layer'), 'l1a')
    assert.equal(withoutId({ ...framesIn(hit.text)[0] }), withoutId(json as Record<string, unknown>))
  })
}

test.run()
