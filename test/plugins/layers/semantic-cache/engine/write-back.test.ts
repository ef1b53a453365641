import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type EntrySource, WriteBack } from '../../../../../plugins/layers/semantic-cache/engine/write-back.ts'

/** So many entries, of which those in `gone` were removed. */
const source = (count: number, gone: readonly number[] = []): EntrySource => ({
  handles: () => Array.from({ length: count }, (_, i) => i + 1),
  indexed: handle => (gone.includes(handle) ? undefined : { handle, partition: 1, freshUntil: 1, text: '' }),
  expire() {},
})

function opened(): { queue: WriteBack; sent: number[] } {
  const sent: number[] = []
  return { queue: new WriteBack(({ handle }) => void sent.push(handle)), sent }
}

test('sends a few at a time, in order, and more as they are done', () => {
  const { queue, sent } = opened()
  queue.restart(source(10_000, [2]))
  assert.is(sent.length, 64)
  assert.equal(sent.slice(0, 3), [1, 3, 4])
  queue.done(10)
  assert.is(sent.length, 74)
  while (sent.length < 9999) queue.done(64)
  assert.is(new Set(sent).size, 9999)
})

test('new entries overtake those of a rebuild', () => {
  const { queue, sent } = opened()
  queue.restart(source(1000))
  queue.add(5000)
  queue.done(1)
  assert.is(sent.at(-1), 5000)
})

test('however many are new, all are sent in the end, but for those that were removed', () => {
  const { queue, sent } = opened()
  queue.restart(source(0))
  for (let handle = 1; handle <= 10_000; handle++) queue.add(handle)
  assert.is(sent.length, 64)
  for (let handle = 101; handle <= 200; handle++) queue.remove(handle)
  for (let rounds = 0; rounds < 300; rounds++) queue.done(64)
  assert.equal(sent.slice(98, 102), [99, 100, 201, 202])
  assert.is(sent.length, 9900)
})

test('what was cleared is sent no more', () => {
  const { queue, sent } = opened()
  queue.restart(source(1000))
  for (let handle = 2001; handle <= 2100; handle++) queue.add(handle)
  queue.clear()
  queue.done(64)
  assert.is(sent.length, 64)
})

test.run()
