import { Cancellation } from 'deflector'
import { TextQueue } from 'deflector/model-process'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const all = (waiting: Iterable<unknown>): number => [...waiting].length
const vectorOf = (text: string): Float32Array => Float32Array.of(text.length)

test('gives each call its own vectors, over several batches', async () => {
  const queue = new TextQueue({})
  const [one, two] = [queue.add(['a', 'bb']), queue.add(['ccc'])]
  for (const batch of [['a', 'bb'], ['ccc']]) {
    assert.equal(
      queue.take(() => 2),
      batch,
    )
    assert.equal(queue.take(all), [], 'one batch at a time')
    queue.made(batch.map(vectorOf))
  }
  assert.equal(await one, [vectorOf('a'), vectorOf('bb')])
  assert.equal(await two, [vectorOf('ccc')])
  assert.ok(queue.empty)
})

test('the texts of a cancelled call leave it, and their room with them', async () => {
  const queue = new TextQueue({ chars: 6 })
  const cancellation = new Cancellation()
  const left = queue.add(['abc', 'd'], cancellation).catch(String)
  const stays = queue.add(['ef'])
  assert.throws(() => queue.add(['g']), /too many texts wait/)
  cancellation.cancel('the client has left')
  assert.is(await left, 'the client has left')
  const also = queue.add(['ghij'])
  assert.equal(queue.take(all), ['ef', 'ghij'])
  queue.made(['ef', 'ghij'].map(vectorOf))
  await Promise.all([stays, also])
})

test('a batch fails alone, and one that lacks a vector does not hang', async () => {
  const queue = new TextQueue({ texts: 2 })
  const calls = ['a', 'b'].map(text => queue.add([text]).catch(String))
  assert.throws(() => queue.add(['c']), /too many texts wait/)
  queue.take(() => 1)
  queue.failBatch(new Error('gone'))
  queue.take(() => 1)
  queue.made([])
  assert.equal(await Promise.all(calls), ['Error: gone', 'Error: the embedder gave no vector'])
})

test.run()
