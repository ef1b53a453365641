import { gzipSync } from 'node:zlib'
import { Cancellation, type ChatFormat, ProviderError } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../../core/clock.ts'
import { Incoming } from '../../../../plugins/providers/upstream/incoming.ts'
import { Reply, type ReplyStream, readError } from '../../../../plugins/providers/upstream/reply.ts'
import { batches, gathered } from '../../../../plugins/providers/upstream/stream.ts'
import { DIALECTS } from '../../../contracts/vendor-wire.ts'
import { busy, countTurns } from '../../../support/loop-turns.ts'
import { failure } from '../vendor-faults.ts'
import { Controller } from './controller.ts'

/** A reply whose body is these chunks, without a network. */
function reply(chunks: Iterable<Uint8Array>, framed = true): ReplyStream & { readonly log: string[] } {
  const log: string[] = []
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* chunks
  }
  return {
    chunks: all,
    framed,
    log,
    cancel: reason => void log.push(`cancelled: ${reason.reason}`),
    release: () => void log.push('released'),
  }
}

const facts = (format: ChatFormat) => ({ format, name: 'acme', idleMs: 1000, clock: systemClock, secrets: [] })
const TEXT = '日本 👩‍👧 é'

for (const [format, path] of [
  [chatCompletions, '/chat/completions'],
  [messages, '/messages'],
] as const) {
  const sample = { text: TEXT, reasoning: '考', toolCalls: [{ id: 'one', name: 'look', arguments: '{"q":"ü"}' }] }
  const sent = DIALECTS[path]?.stream(sample, { number: 1, model: 'm', body: {} }).join('') ?? ''
  const bytes = Buffer.from(sent)

  test(`${format.name}: a cut at any byte changes nothing`, async () => {
    const expected = await gathered(reply([bytes]), facts(format))
    assert.ok(expected.blocks.some(block => block.type === 'text' && block.text === TEXT))
    for (let at = 1; at < bytes.length; at++) {
      const cut = await gathered(reply([bytes.subarray(0, at), bytes.subarray(at)]), facts(format))
      assert.equal(cut, expected, `cut at ${at}`)
    }
    const crumbs = Array.from(bytes, byte => Uint8Array.of(byte))
    assert.equal(await gathered(reply(crumbs), facts(format)), expected)
  })

  test(`${format.name}: CRLF, CR, comments and a byte order mark change nothing`, async () => {
    const expected = await gathered(reply([bytes]), facts(format))
    const variants = [
      sent.replaceAll('\n', '\r\n'),
      sent.replaceAll('\n', '\r'),
      `\ufeff${sent}`,
      sent.replaceAll('\n\n', '\n\n: alive\n\nretry: 10\n\n'),
      sent.replaceAll('data: ', 'data:'),
    ]
    for (const variant of variants) assert.equal(await gathered(reply([Buffer.from(variant)]), facts(format)), expected)
  })

  test(`${format.name}: ids of events are passed on, and not kept`, async () => {
    const read = async (text: string) => {
      const record = format.streamForm?.record()
      let passed = ''
      for await (const batch of batches(reply([Buffer.from(text)]), facts(format)))
        for (const { wire, joined } of batch) {
          passed += wire
          record?.add(joined ?? wire)
        }
      return { passed, kept: record?.text() }
    }
    const events = sent.split('\n\n').slice(0, -1)
    const numbered = events.map((event, id) => `id: ${id}\n${event}\n\n`).join('')
    const { passed, kept } = await read(numbered)
    assert.is(passed, numbered)
    assert.is(kept, (await read(sent)).kept)
  })

  test(`${format.name}: an end before the last event is a protocol failure, wherever it comes`, async () => {
    const events = sent.split('\n\n').slice(0, -1)
    // A missing terminator is forgiven once the answer has said why it stopped.
    const needed = events.length - 1
    for (let count = 0; count < needed; count++) {
      const part = events.slice(0, count).map(event => `${event}\n\n`)
      const cut = reply([Buffer.from(part.join(''))])
      assert.is((await failure(gathered(cut, facts(format)))).reason, 'protocol', `after ${count} events`)
      assert.equal(cut.log, ['cancelled: network'])
    }
  })

  test(`${format.name}: a reader who leaves ends the call, one who stays frees the line`, async () => {
    const left = reply([bytes.subarray(0, -20), bytes.subarray(-20)])
    for await (const _ of batches(left, facts(format))) break
    assert.equal(left.log, ['cancelled: network'])
    const stayed = reply([bytes])
    await gathered(stayed, facts(format))
    assert.equal(stayed.log, ['released'])
  })
}

for (const [encoding, chunksOf] of [
  ['identity', (mebibytes: number) => Array.from({ length: mebibytes }, () => Buffer.alloc(1 << 20))],
  ['gzip', (mebibytes: number) => [gzipSync(Buffer.alloc(mebibytes << 20))]],
] as const) {
  test(`an answer beyond 64 MiB is refused (${encoding})`, async () => {
    const read = async (mebibytes: number) => {
      const controller = new Controller()
      const cancellation = new Cancellation()
      const incoming = new Incoming(cancellation)
      incoming.onRequestStart(controller)
      for (const chunk of chunksOf(mebibytes)) incoming.onResponseData(controller, chunk)
      incoming.onResponseEnd()
      const answer = new Reply({ status: 200, headers: { 'content-encoding': encoding } }, incoming, cancellation)
      return answer.bytes()
    }
    assert.is((await failure(read(65))).reason, 'protocol')
    assert.is((await read(64)).length, 64 << 20)
  })
}

test('a burst of small events is read in turns of the event loop, in order', async () => {
  const words = Array.from({ length: 60 }, (_, at) => `${at} `)
  const events = words.map(content => ({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: null }] }))
  const stop = { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
  const sent = [...events, stop].map(event => `data: ${JSON.stringify(event)}\n\n`).join('')
  const slow: ChatFormat = {
    ...chatCompletions,
    streamDecoder() {
      const decoder = chatCompletions.streamDecoder()
      return {
        push(event) {
          busy()
          return decoder.push(event)
        },
        finish: framed => decoder.finish(framed),
      }
    },
  }
  const loop = countTurns()
  const { blocks } = await gathered(reply([Buffer.from(`${sent}data: [DONE]\n\n`)]), facts(slow))
  loop.stop()
  assert.equal(blocks, [{ type: 'text', text: words.join('') }])
  assert.ok(loop.turns >= 10, `${loop.turns} turns`)
})

test('a stream without its terminator is whole only where the transport marks its end', async () => {
  const chunk = { id: 'c', choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] }
  const bytes = Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`)
  assert.is((await gathered(reply([bytes], true), facts(chatCompletions))).unmodelled, undefined)
  assert.equal((await gathered(reply([bytes], false), facts(chatCompletions))).unmodelled, ['a missing terminator'])
  const framed = (headers: Record<string, string>) =>
    new Reply({ status: 200, headers }, new Incoming(new Cancellation()), new Cancellation()).framed
  assert.ok(framed({ 'content-length': '7' }) && framed({ 'transfer-encoding': 'gzip, Chunked' }))
  assert.not(framed({}) || framed({ 'transfer-encoding': 'identity' }))
})

for (const [format, path] of [
  [chatCompletions, '/chat/completions'],
  [messages, '/messages'],
  [generateContent, '/models/m:streamGenerateContent'],
  [responses, '/responses'],
] as const) {
  const frames =
    Object.entries(DIALECTS)
      .find(([key]) => path.endsWith(key))?.[1]
      .stream({ text: TEXT }, { number: 1, model: 'm', body: {} }) ?? []
  const terminated = format === chatCompletions || format === messages

  test(`${format.name}: a line that breaks is a failure unless only the terminator can be missing`, async () => {
    assert.ok(frames.length > 1)
    // Nothing terminates a stream of generate-content, so that its last event is no end, either.
    const last = frames.length - (format === generateContent ? 0 : 1)
    for (let count = 1; count <= last; count++) {
      for (const tail of ['', 'data: [DO']) {
        const sent = frames.slice(0, count).join('') + tail
        // A polite end at the same place says what may be forgiven.
        const polite = await gathered(reply([Buffer.from(sent)], false), facts(format)).catch(() => undefined)
        const broken = gathered(reply(breaking(sent)), facts(format))
        if (terminated && polite) assert.equal(await broken, polite, `after ${count} events`)
        else assert.is((await failure(broken)).reason, 'network', `after ${count} events`)
      }
    }
    const forgiven = reply(breaking(frames.slice(0, -1).join('')))
    const read = await gathered(forgiven, facts(format)).catch(() => undefined)
    assert.equal(read?.unmodelled, terminated ? ['a missing terminator'] : undefined)
    assert.equal(forgiven.log, [terminated ? 'released' : 'cancelled: network'])
  })
}

/** Bytes, then a line that breaks. */
function* breaking(sent: string): Generator<Uint8Array> {
  yield Buffer.from(sent)
  throw new ProviderError('network', 'the connection failed (ECONNRESET)')
}

for (const [format, path] of [
  [chatCompletions, '/chat/completions'],
  [messages, '/messages'],
] as const) {
  test(`${format.name}: a vendor that falls silent instead of ending is a failure unless only the terminator is missing`, async () => {
    const frames = (DIALECTS[path]?.stream({ text: TEXT }, { number: 1, model: 'm', body: {} }) ?? []).flat()
    const read = (count: number) => {
      const { line, clock } = silentAfter(frames.slice(0, count).join(''))
      return gathered(line, { ...facts(format), clock })
    }
    const whole = await read(frames.length - 1)
    assert.equal([whole.blocks, whole.unmodelled], [[{ type: 'text', text: TEXT }], ['a missing terminator']])
    assert.is((await failure(read(2))).reason, 'timeout')
  })
}

/** A reply that says so much and then nothing, and a clock on which that is too long at once. */
function silentAfter(sent: string) {
  let giveUp = (_: ProviderError): void => {}
  const given = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  const line: ReplyStream = {
    async *chunks() {
      yield Buffer.from(sent)
      yield await given
    },
    framed: true,
    cancel: reason => giveUp(reason),
    release() {},
  }
  let reads = 0
  const clock = {
    after(_: number, act: () => void) {
      if (++reads === 2) act()
      return () => {}
    },
  }
  return { line, clock }
}

test('what breaks otherwise after the last word is a failure all the same', async () => {
  const sent = Buffer.from(
    `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] })}\n\n`,
  )
  for (const error of [new ProviderError('timeout', 'silence'), new ProviderError('protocol', 'no gzip')]) {
    function* bytes(): Generator<Uint8Array> {
      yield sent
      throw error
    }
    assert.is(await failure(gathered(reply(bytes()), facts(chatCompletions))), error)
  }
})

test('a reply that is compressed and cut off is read as far as it goes, and so is what came before a reset', async () => {
  const chunk = { id: 'c', choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] }
  const sent = Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`)
  const read = async (bytes: Buffer, headers: Record<string, string>, error?: Error) => {
    const cancellation = new Cancellation()
    const incoming = new Incoming(cancellation)
    const controller = new Controller()
    incoming.onRequestStart(controller)
    incoming.onResponseStart(controller, 200, headers)
    incoming.onResponseData(controller, bytes)
    if (error) incoming.onResponseError(controller, error)
    else incoming.onResponseEnd()
    return gathered(new Reply({ status: 200, headers }, incoming, cancellation), facts(chatCompletions))
  }
  const expected = [{ type: 'text', text: 'Hi' }]
  const gzip = { 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' }
  const cut = await read(gzipSync(sent).subarray(0, -6), gzip)
  assert.equal([cut.blocks, cut.unmodelled], [expected, ['a missing terminator']])
  const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' })
  const broken = await read(sent, { 'transfer-encoding': 'chunked' }, reset)
  assert.equal([broken.blocks, broken.unmodelled], [expected, ['a missing terminator']])
  const wrong = gzipSync(sent)
  wrong.writeUInt32LE(0, wrong.length - 8)
  assert.is((await failure(read(wrong, gzip))).reason, 'protocol')
})

test('events that the vendor marks each by itself and that come together are passed on together', async () => {
  const controller = new Controller()
  const cancellation = new Cancellation()
  const incoming = new Incoming(cancellation)
  incoming.onRequestStart(controller)
  const events = (
    DIALECTS['/chat/completions']?.stream({ text: TEXT }, { number: 1, model: 'm', body: {} }) ?? []
  ).flat()
  for (const event of events) incoming.onResponseData(controller, Buffer.from(event))
  incoming.onResponseEnd()
  const answer = new Reply({ status: 200, headers: { 'transfer-encoding': 'chunked' } }, incoming, cancellation)
  const lists: number[] = []
  for await (const list of batches(answer, facts(chatCompletions))) lists.push(list.length)
  assert.ok(events.length > 2)
  assert.is(lists.length, 1)
})

test('of an endless error body only the beginning is read', async () => {
  function* endless(): Generator<Uint8Array> {
    for (;;) yield Buffer.alloc(1 << 16, 'x')
  }
  assert.ok((await readError(reply(endless()))).length < 1 << 20)
})

test('a byte order mark before an error is no part of it', async () => {
  assert.is(await readError(reply([Buffer.from('\ufeff{"error":{}}')])), '{"error":{}}')
})

test.run()
