import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Arena } from '../../../../../plugins/layers/semantic-cache/index/arena.ts'
import { dot, PartitionIndex } from '../../../../../plugins/layers/semantic-cache/index/partition-index.ts'
import { DIMENSIONS, newScan } from '../../../../../plugins/layers/semantic-cache/index/scan.ts'

let state = 7
const uniform = (): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return state / 4294967296
}
function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector))
  return vector.map(x => x / length)
}
const draw = (): Float32Array =>
  Float32Array.from({ length: DIMENSIONS }, () => uniform() + uniform() + uniform() - 1.5)
const topics = Array.from({ length: 40 }, draw)
const sentence = (): Float32Array => {
  const topic = topics[Math.floor(uniform() * topics.length)] ?? draw()
  return unit(draw().map((x, i) => x + (topic[i] ?? 0)))
}

test('the loops in WebAssembly count and multiply as JavaScript does', () => {
  const scan = newScan()
  assert.ok(scan, 'this engine has SIMD')
  const bytes = new Uint8Array(scan.memory.buffer)
  for (let i = 0; i < 4096; i++) bytes[i] = Math.floor(uniform() * 256)
  const codes = new Int8Array(scan.memory.buffer)
  for (let i = 4096; i < 8192; i++) codes[i] = Math.floor(uniform() * 255) - 127
  scan.hamming(0, 5, 1024, 20_000)
  const distances = new Uint16Array(scan.memory.buffer, 20_000, 5)
  for (const [row, found] of distances.entries()) {
    let bits = 0
    for (let i = 0; i < 48; i++)
      bits += ((bytes[48 * row + i] ?? 0) ^ (bytes[1024 + i] ?? 0)).toString(2).replaceAll('0', '').length
    assert.is(found, bits)
  }
  const rows = [4096, 4480, 5248]
  new Uint32Array(scan.memory.buffer, 24_000, 3).set(rows)
  scan.dots(24_000, 3, 7000, 28_000)
  for (const [i, row] of rows.entries()) {
    let sum = 0
    for (let d = 0; d < DIMENSIONS; d++) sum += (codes[row + d] ?? 0) * (codes[7000 + d] ?? 0)
    assert.is(new Int32Array(scan.memory.buffer, 28_000, 3)[i], sum)
  }
})

for (const size of [10, 300, 5000])
  test(`finds the nearest of ${size}, while entries come and go`, () => {
    const index = new PartitionIndex(Arena.open())
    const kept = new Map<number, Float32Array>()
    for (let id = 0; id < size; id++) {
      const vector = sentence()
      index.add(id, vector)
      kept.set(id, vector)
      if (id % 7 !== 3) continue
      const gone = Math.floor(uniform() * id)
      assert.is(index.delete(gone), kept.delete(gone))
    }
    assert.is(index.size, kept.size)
    let found = 0
    let wanted = 0
    for (let i = 0; i < 40; i++) {
      const query = sentence()
      const exact = [...kept].map(([id, vector]) => ({ id, similarity: dot(query, vector) }))
      const best = exact.sort((a, b) => b.similarity - a.similarity).slice(0, 8)
      const neighbours = index.search(query, -1, 8)
      for (const { id, similarity } of neighbours) assert.is(similarity, dot(query, kept.get(id) ?? query))
      wanted += best.length
      found += best.filter(({ id }) => neighbours.some(one => one.id === id)).length
    }
    assert.ok(found / wanted >= 0.99, `recall ${found / wanted}`)
  })

test('gives nothing below the least similarity, and no more than asked for', () => {
  const index = new PartitionIndex(Arena.open())
  const vector = sentence()
  for (let id = 0; id < 20; id++) index.add(id, vector)
  index.add(
    99,
    vector.map(x => -x),
  )
  assert.equal(
    index.search(vector, 0.5, 3).map(({ id }) => id),
    [0, 1, 2],
  )
  assert.is(
    index.search(
      vector.map(x => -x),
      0.5,
      8,
    ).length,
    1,
  )
})

test('works without WebAssembly too', () => {
  const index = new PartitionIndex()
  const vectors = Array.from({ length: 200 }, sentence)
  for (const [id, vector] of vectors.entries()) index.add(id, vector)
  assert.is(index.search(vectors[150] ?? sentence(), 0.9, 1)[0]?.id, 150)
})

test('blocks that are given back are used again', () => {
  const arena = Arena.open()
  assert.ok(arena)
  const first = new PartitionIndex(arena)
  for (let id = 0; id < 1000; id++) first.add(id, sentence())
  const taken = arena.bytes
  first.clear()
  const second = new PartitionIndex(arena)
  for (let id = 0; id < 1000; id++) second.add(id, sentence())
  assert.is(arena.bytes, taken)
})

test.run()
