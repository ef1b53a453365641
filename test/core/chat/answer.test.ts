import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { textAnswer } from '../../../core/chat/answer.ts'
import type { AnswerEvent } from '../../../core/chat/answer-event.ts'
import { liveAnswer } from '../../../core/chat/live-answer.ts'
import type { Frame } from '../../../core/chat/stream.ts'
import { isGatewayError } from '../../../core/errors.ts'
import { ProviderError } from '../../../core/provider-error.ts'
import { busy, countTurns } from '../../support/loop-turns.ts'

const frame = (event: AnswerEvent, wire = 'data: x\n\n'): Frame => ({ events: [event], wire })
const start = frame({ type: 'start', id: 'a', model: 'm', created: 1 })
const text = (words: string, wire?: string): Frame => frame({ type: 'text', text: words }, wire)
const stop = frame({ type: 'stop', stop: { reason: 'stop' } })
const end = frame({ type: 'end' })

async function* yielding(...frames: readonly (Frame | Error)[]): AsyncGenerator<Frame> {
  for (const one of frames) {
    await Promise.resolve()
    if (one instanceof Error) throw one
    yield one
  }
}

async function read(frames: AsyncIterable<Frame>): Promise<string> {
  let all = ''
  for await (const { events } of frames) for (const event of events) if (event.type === 'text') all += event.text
  return all
}

test('everybody reads a live answer from its first frame', async () => {
  const live = liveAnswer({ format: 'x', source: yielding(start, text('one '), text('two'), stop, end) })
  const early = read(live.frames())
  assert.is(await early, 'one two')
  assert.is(await read(live.frames()), 'one two')
  const { completion } = await live.whole
  assert.equal(completion.blocks, [{ type: 'text', text: 'one two' }])
})

test('reads upstream no faster than its fastest reader', async () => {
  let pulled = 0
  async function* counted(): AsyncGenerator<Frame> {
    for (const one of [start, text('a'), text('b'), stop, end]) {
      pulled++
      yield one
    }
  }
  const live = liveAnswer({ format: 'x', source: counted() })
  const reader = live.frames()[Symbol.asyncIterator]()
  await reader.next()
  await reader.next()
  assert.is(pulled, 2)
})

test('a burst of frames is read in turns of the event loop, in order, and so is what one who joins late finds', async () => {
  const words = Array.from({ length: 30 }, (_, at) => `${at} `)
  const live = liveAnswer({ format: 'x', source: yielding(start, ...words.map(word => text(word)), stop, end) })
  for (const reader of ['early', 'late']) {
    const loop = countTurns()
    let all = ''
    for await (const { events } of live.frames()) {
      for (const event of events) if (event.type === 'text') all += event.text
      busy()
    }
    loop.stop()
    assert.is(all, words.join(''))
    assert.ok(loop.turns >= 10, `${reader}: ${loop.turns} turns`)
  }
})

test('a frame that comes alone waits for no turn of the event loop', async () => {
  const live = liveAnswer({ format: 'x', source: yielding(start, text('a'), stop, end) })
  const reader = live.frames()[Symbol.asyncIterator]()
  await new Promise(resolve => setImmediate(resolve))
  const loop = countTurns()
  await reader.next()
  loop.stop()
  assert.is(loop.turns, 0)
})

test('tells every reader of a stream that broke, and keeps nothing', async () => {
  const live = liveAnswer({ format: 'x', source: yielding(start, text('half'), new ProviderError('network', 'reset')) })
  const readers = await Promise.allSettled([read(live.frames()), read(live.frames()), live.whole])
  for (const reader of readers) {
    assert.is(reader.status, 'rejected')
    if (reader.status === 'rejected')
      assert.ok(isGatewayError(reader.reason) && reader.reason.code === 'upstream_failed')
  }
})

test('does not take a stream without its terminal event for a whole one', async () => {
  const live = liveAnswer({ format: 'x', source: yielding(start, text('half'), stop) })
  const [reader, whole] = await Promise.allSettled([read(live.frames()), live.whole])
  assert.is(reader?.status, 'rejected')
  assert.is(whole?.status, 'rejected')
})

test('lets nobody join once the first frames are gone, and goes on for those who read', async () => {
  const large = 'x'.repeat(600_000)
  const live = liveAnswer({ format: 'x', source: yielding(start, text('a', large), text('b', large), stop, end) })
  assert.is(await read(live.frames()), 'ab')
  assert.is(live.joinable, false)
  assert.throws(
    () => live.frames(),
    (error: unknown) => isGatewayError(error),
  )
  assert.equal((await live.whole).completion.blocks, [{ type: 'text', text: 'ab' }])
})

test('the first reader gets all of a beginning that is too large to be joined, and no other reader may', async () => {
  const large = 'x'.repeat(1_049_000)
  const live = liveAnswer({ format: 'x', begun: [start, text('a', large)], source: yielding(text('b'), stop, end) })
  assert.is(live.joinable, false)
  const frames = live.frames()
  assert.throws(
    () => live.frames(),
    (error: unknown) => isGatewayError(error),
  )
  assert.is(await read(frames), 'ab')
  assert.equal((await live.whole).completion.blocks, [{ type: 'text', text: 'ab' }])
})

test('lets go of a large beginning as soon as its reader has passed it', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const large = (): Frame => text('a', 'x'.repeat(1_049_000))
  let beginning: WeakRef<Frame> | undefined
  const begun = (): readonly Frame[] => {
    const frame = large()
    beginning = new WeakRef(frame)
    return [frame]
  }
  const live = liveAnswer({ format: 'x', begun: begun(), source: yielding(start, text('b'), stop, end) })
  const reader = live.batches()[Symbol.asyncIterator]()
  await reader.next()
  await new Promise(resolve => setImmediate(resolve)) // a weak reference holds until its turn is over
  collect()
  assert.ok(beginning?.deref(), 'the reader is still there')
  await reader.next()
  await new Promise(resolve => setImmediate(resolve))
  collect()
  assert.is(beginning?.deref(), undefined)
  assert.is(live.joinable, false)
})

test('passes on what the canonical shape cannot hold, but does not keep the answer', async () => {
  const odd = frame({ type: 'unmodelled', what: 'logprobs' })
  const live = liveAnswer({ format: 'x', source: yielding(start, odd, text('a'), stop, end) })
  assert.is(await read(live.frames()), 'a')
  assert.is((await Promise.allSettled([live.whole]))[0]?.status, 'rejected')
})

test('a text answer is a whole answer', () => {
  const { kind, completion } = textAnswer('squawk', { model: 'parrot-1' })
  assert.is(kind, 'whole')
  assert.equal(completion.blocks, [{ type: 'text', text: 'squawk' }])
  assert.is(completion.stop.reason, 'stop')
})

test.run()
