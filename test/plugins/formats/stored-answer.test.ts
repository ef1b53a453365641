import { type ChatFormat, textAnswer, type WholeAnswer, wholeAnswer, withFacts } from 'deflector'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeEntry, encodeEntry, entryFor, readEntry } from '../../../plugins/formats/stored-answer.ts'
import { TestExchange } from '../../contracts/exchange.ts'
import { plainFormat } from '../../contracts/host.ts'
import { countTurns } from '../../support/loop-turns.ts'

/** A format that may be served, but not read. */
const unread: ChatFormat = {
  ...plainFormat,
  decodeAnswer() {
    throw new Error('was decoded')
  },
}
const spoken = (json: string, format = 'plain'): WholeAnswer =>
  wholeAnswer({
    wire: { format, bytes: Buffer.from(json) },
    completion: () => plainFormat.decodeAnswer(JSON.parse(json)),
  })

test("the client's own bytes come back untouched and unread", () => {
  const json = '{ "text":"Hi\\nthere \\u00e9 é", "seed":9007199254740993 }\n'
  const found = decodeEntry(encodeEntry(spoken(json), unread, 7), unread)
  assert.is(found?.answer.wire?.format, 'plain')
  assert.is(Buffer.from(found?.answer.wire?.bytes ?? []).toString(), json)
  assert.is(found?.at, 7)
})

test('an answer of a model of this machine is known as one', () => {
  const local = withFacts(textAnswer('Hi', { model: 'small' }), { local: true })
  assert.is(decodeEntry(encodeEntry(local, plainFormat, 7), plainFormat)?.answer.facts.local, true)
  assert.is(
    decodeEntry(encodeEntry(spoken('{"text":"Hi"}'), plainFormat, 7), plainFormat)?.answer.facts.local,
    undefined,
  )
})

test('they are decoded for whoever asks what they say', () => {
  const found = decodeEntry(encodeEntry(spoken('{"text":"Hi"}'), plainFormat, 7), plainFormat)
  assert.equal(found?.answer.completion.blocks, [{ type: 'text', text: 'Hi' }])
})

test('an answer in another format is kept in canonical form', () => {
  const found = decodeEntry(encodeEntry(spoken('{"text":"Hi"}', 'messages'), plainFormat, 7), unread)
  assert.is(found?.answer.wire, undefined)
  assert.equal(found?.answer.completion.blocks, [{ type: 'text', text: 'Hi' }])
})

test('any answer comes back as it was', () => {
  const plain = { noNullPrototype: true }
  const block = fc.oneof(
    fc.record({ type: fc.constant('text' as const), text: fc.string({ unit: 'binary' }) }, plain),
    fc.record({ type: fc.constant('reasoning' as const), text: fc.string(), signature: fc.string() }, plain),
    fc.record(
      { type: fc.constant('tool_call' as const), id: fc.string(), name: fc.string(), args: fc.string() },
      plain,
    ),
  )
  fc.assert(
    fc.property(fc.array(block), fc.nat(), (blocks, at) => {
      const completion = {
        id: 'i',
        model: 'm',
        created: 1,
        blocks,
        stop: { reason: 'stop' as const },
        usage: { input: 1, output: 2, cacheRead: 1 },
      }
      const found = decodeEntry(encodeEntry(wholeAnswer({ completion }), plainFormat, at), plainFormat)
      assert.equal(found?.answer.completion, completion)
      assert.is(found?.at, at)
    }),
  )
})

test('the provider is remembered', () => {
  const answer = withFacts(textAnswer('Hi', { model: 'm' }), { provider: 'backup' })
  assert.is(decodeEntry(encodeEntry(answer, plainFormat, 7), plainFormat)?.answer.facts.provider, 'backup')
  const unnamed = decodeEntry(encodeEntry(textAnswer('Hi', { model: 'm' }), plainFormat, 7), plainFormat)
  assert.is(unnamed?.answer.facts.provider, undefined)
  assert.is(unnamed?.answer.kind, 'whole')
})

test('a large answer is read for a stream while the event loop goes on', async () => {
  const text = '高速缓存'.repeat(300_000)
  const own = encodeEntry(spoken(JSON.stringify({ text })), plainFormat, 7)
  const canonical = encodeEntry(textAnswer(text, { model: 'm' }), plainFormat, 7)
  for (const entry of [own, canonical]) {
    const loop = countTurns()
    const found = await readEntry(entry, { format: plainFormat, stream: true })
    loop.stop()
    assert.ok(loop.turns >= 2, `${loop.turns} turns`)
    assert.equal(found?.answer.completion.blocks, [{ type: 'text', text }])
    assert.is(found?.at, 7)
  }
})

test("a large answer's own bytes are not read for a client who wants it whole", async () => {
  const entry = encodeEntry(spoken(JSON.stringify({ text: 'x'.repeat(300_000) })), unread, 7)
  const found = await readEntry(entry, { format: unread, stream: false })
  assert.is(found?.answer.wire?.format, 'plain')
  assert.is(await readEntry(entry, { format: { ...plainFormat, name: 'other' }, stream: true }), undefined)
})

test('an entry in bytes of another format is of no use, and not broken', () => {
  const entry = encodeEntry(spoken('{}', 'messages'), { ...plainFormat, name: 'messages' }, 7)
  assert.is(decodeEntry(entry, plainFormat), undefined)
})

test('an entry that was cut short, or is none, is found out', () => {
  for (const entry of [
    encodeEntry(spoken('{"text":"Hi"}'), plainFormat, 7),
    encodeEntry(textAnswer('Hi', { model: 'm' }), plainFormat, 7),
  ]) {
    for (let length = 0; length < entry.length; length++) {
      assert.throws(() => decodeEntry(entry.subarray(0, length), plainFormat))
    }
    assert.throws(() => decodeEntry(Buffer.concat([entry, Buffer.from(' ')]), plainFormat))
  }
  for (const text of [
    '',
    '\n',
    '{}\n',
    'null\n{}',
    '{"layer":3,"message":"Hi"}',
    '{"v":2,"at":1,"bytes":2}\n{}',
    '{"v":1,"at":1,"bytes":2}\n{}',
  ]) {
    assert.throws(() => decodeEntry(Buffer.from(text), plainFormat), undefined, text)
  }
})

test('caches that keep the answer of one exchange share its bytes, and no others do', () => {
  const exchange = new TestExchange()
  const answer = textAnswer('Hi', { model: 'm' })
  const entry = entryFor(exchange, answer, 7)
  assert.equal(entry, encodeEntry(answer, exchange.prompt.format, 7))
  assert.is(entryFor(exchange, answer, 7), entry)
  assert.is.not(entryFor(exchange, answer, 8), entry)
  assert.not.equal(entryFor(exchange, textAnswer('Bye', { model: 'm' }), 8), entry)
  assert.is.not(entryFor(new TestExchange(), answer, 7), entry)
})

test.run()
