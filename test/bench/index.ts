// Times a lookup in one partition and compares what it finds with the exact neighbours.
//   node --conditions development --import tsx test/bench/index.ts [sizes…]
import { Arena } from '../../plugins/layers/semantic-cache/index/arena.ts'
import { dot, PartitionIndex } from '../../plugins/layers/semantic-cache/index/partition-index.ts'

const DIMENSIONS = 384
const sizes = process.argv.slice(2).map(Number)
const LOOKUPS = 300
const NEIGHBOURS = 8

let state = 1
const uniform = (): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return state / 4294967296
}
const normal = (): number => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())

/** Like sentences: a common part, topics, and what is their own; few directions carry most of it. */
const spread = Float32Array.from({ length: DIMENSIONS }, (_, i) => 1 / Math.sqrt(1 + i / 24))
const draw = (): Float32Array => Float32Array.from(spread, s => s * normal())
const common = draw()
const topics = Array.from({ length: 400 }, draw)
function sentence(near?: Float32Array): Float32Array {
  const own = draw()
  const topic = topics[Math.floor(uniform() * topics.length)] ?? common
  return unit(
    near
      ? near.map((x, i) => x * 8 + 0.45 * (own[i] ?? 0))
      : own.map((x, i) => 0.7 * x + 0.7 * (topic[i] ?? 0) + 0.6 * (common[i] ?? 0)),
  )
}
function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return vector.map(x => x / length)
}

process.stdout.write('entries   add µs   p50 ms   p99 ms   max ms   recall@8   plain p50 ms\n')
for (const size of sizes.length > 0 ? sizes : [64, 1_000, 10_000, 50_000, 100_000]) {
  const vectors = Array.from({ length: size }, () => sentence())
  const index = new PartitionIndex(Arena.open())
  const began = performance.now()
  for (const [id, vector] of vectors.entries()) index.add(id, vector)
  const adding = performance.now() - began
  const times: number[] = []
  const plain: number[] = []
  let found = 0
  let wanted = 0
  for (let i = 0; i < LOOKUPS; i++) {
    const query = i % 2 === 0 ? sentence() : sentence(vectors[Math.floor(uniform() * size)])
    const from = performance.now()
    const neighbours = index.search(query, -1, NEIGHBOURS)
    times.push(performance.now() - from)
    if (i >= 60) continue
    const start = performance.now()
    const exact = vectors.map((vector, id) => ({ id, similarity: dot(query, vector) }))
    plain.push(performance.now() - start)
    exact.sort((a, b) => b.similarity - a.similarity)
    const ids = new Set(neighbours.map(({ id }) => id))
    wanted += Math.min(NEIGHBOURS, size)
    found += exact.slice(0, NEIGHBOURS).filter(({ id }) => ids.has(id)).length
  }
  const at = (list: number[], share: number): string =>
    ([...list].sort((a, b) => a - b)[Math.floor(share * (list.length - 1))] ?? 0).toFixed(3)
  process.stdout.write(
    `${String(size).padStart(7)} ${((1000 * adding) / size).toFixed(1).padStart(8)} ${at(times, 0.5).padStart(8)} ${at(times, 0.99).padStart(8)} ${at(times, 1).padStart(8)} ${(found / wanted).toFixed(4).padStart(10)} ${at(plain, 0.5).padStart(14)}\n`,
  )
}
