import type { WireEvent } from 'deflector'
import { sseEvents, sseText } from 'deflector/formats/sse'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

async function* chunked(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0
  for (const cut of [...cuts, bytes.length]) {
    yield bytes.subarray(from, cut)
    from = cut
  }
}

async function read(text: string | Uint8Array, cuts: readonly number[] = []): Promise<WireEvent[]> {
  const events: WireEvent[] = []
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  for await (const event of sseEvents(chunked(bytes, cuts))) events.push(event)
  return events
}

async function failure(text: string): Promise<string> {
  try {
    await read(text)
  } catch (error) {
    return error instanceof Error ? error.message : 'no error'
  }
  return 'nothing thrown'
}

const TWO: WireEvent[] = [{ event: 'delta', data: '{"a":1}' }, { data: '[DONE]' }]

const FRAMINGS: Record<string, string> = {
  LF: 'event: delta\ndata: {"a":1}\n\ndata: [DONE]\n\n',
  CRLF: 'event: delta\r\ndata: {"a":1}\r\n\r\ndata: [DONE]\r\n\r\n',
  CR: 'event: delta\rdata: {"a":1}\r\rdata: [DONE]\r\r',
  'no space': 'event:delta\ndata:{"a":1}\n\ndata:[DONE]\n\n',
  'a byte order mark': '\ufeffevent: delta\ndata: {"a":1}\n\ndata: [DONE]\n\n',
  comments: ': hello\n\nevent: delta\n: inside\ndata: {"a":1}\n\n:\n\ndata: [DONE]\n\n',
  retry: 'retry: 500\nevent: delta\ndata: {"a":1}\n\ndata: [DONE]\n\n',
  'blank lines between': '\n\nevent: delta\ndata: {"a":1}\n\n\n\ndata: [DONE]\n\n',
  'no blank line at the end': 'event: delta\ndata: {"a":1}\n\ndata: [DONE]',
}

for (const [name, text] of Object.entries(FRAMINGS)) {
  test(`understands ${name}, wherever the chunks are cut`, async () => {
    const bytes = Buffer.from(text)
    assert.equal(await read(bytes), TWO)
    for (let cut = 0; cut <= bytes.length; cut++) assert.equal(await read(bytes, [cut]), TWO, `cut at ${cut}`)
    assert.equal(await read(bytes, [...bytes.keys()]), TWO)
  })
}

test('ids stay with their events', async () => {
  const text = 'id: 7\nevent: delta\ndata: {"a":1}\n\ndata: 2\n\nid:\ndata: [DONE]\n\n'
  const events = await read(text)
  assert.equal(events, [{ id: '7', event: 'delta', data: '{"a":1}' }, { data: '2' }, { id: '', data: '[DONE]' }])
  assert.is(events.map(sseText).join(''), text.replace('id:\n', 'id: \n'))
})

test('joins several data lines with a line feed', async () => {
  assert.equal(await read('data: {\ndata:\ndata: }\n\n'), [{ data: '{\n\n}' }])
})

test('gives an event out as soon as its blank line is there, with CR alone too', async () => {
  for (const end of ['\n\n', '\r\n\r\n', '\r\r']) {
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`data: 1${end}`)
      throw new Error('asked for more than the first event needs')
    }
    const first = await sseEvents(endless()).next()
    assert.equal(first.value, { data: '1' })
  }
})

test('keeps characters whole that are cut between chunks', async () => {
  const data = JSON.stringify('日本語 👩‍👩‍👧‍👦 e\u0301 🇳🇴')
  const bytes = Buffer.from(`data: ${data}\n\n`)
  assert.equal(await read(bytes, [...bytes.keys()]), [{ data }])
})

test('has no limit of a line that a picture would meet', async () => {
  const data = JSON.stringify('x'.repeat(3 << 20))
  const bytes = Buffer.from(`data: ${data}\n\n`)
  const [event] = await read(bytes, [1 << 16, 1 << 20, 2 << 20])
  assert.is(event?.data, data)
})

test('takes a last event without its blank line only if its data is whole', async () => {
  assert.equal(await read('data: {"a":1}'), [{ data: '{"a":1}' }])
  assert.match(await failure('data: {"a":'), 'cut off')
  assert.match(await failure('data: {"a":1}\n\ndata: [DON'), 'cut off')
  assert.equal(await read('data: 1\n\nevent: half'), [{ data: '1' }])
})

test('a comment is a sign of life', async () => {
  let signs = 0
  const chunks = chunked(Buffer.from(': keep-alive\n\n: keep-alive\n\n'), [14])
  for await (const event of sseEvents(chunks, { onActivity: () => signs++ })) assert.unreachable(event.data)
  assert.is(signs, 2)
})

test('leaving early closes the source', async () => {
  let closed = false
  async function* source(): AsyncGenerator<Uint8Array> {
    try {
      yield Buffer.from('data: 1\n\ndata: 2\n\n')
      yield Buffer.from('data: 3\n\n')
    } finally {
      closed = true
    }
  }
  for await (const _ of sseEvents(source())) break
  assert.ok(closed)
})

test('what is written is read again as it was', async () => {
  const line = fc.string({ unit: 'binary' }).map(text => text.replace(/[\r\ufeff]/g, ''))
  const name = fc.option(fc.stringMatching(/^[a-z_.]+$/), { nil: undefined })
  const event = fc.record({ event: name, data: line }).map(({ event, data }) => (event ? { event, data } : { data }))
  await fc.assert(
    fc.asyncProperty(fc.array(event), async events => {
      assert.equal(await read(events.map(sseText).join('')), events)
    }),
    { numRuns: 100 },
  )
})

test.run()
