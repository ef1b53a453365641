// Times the entries of the semantic cache in one partition, and compares what they find with the exact neighbours:
// vectors of real sentences by the built-in model. `max` is the longest that one call held the loop, with what the
// collector and other programs took meanwhile.
//   node --conditions development --import tsx test/bench/index.ts [sizes…]
import { fileURLToPath } from 'node:url'
import { Best } from '../../plugins/layers/semantic-cache/engine/index/best.ts'
import { dot } from '../../plugins/layers/semantic-cache/engine/index/partition-index.ts'
import { IndexedEntries } from '../../plugins/layers/semantic-cache/engine/indexed-entries.ts'
import { StaticModel } from '../../plugins/models/static/static-model.ts'
import { corpusSentences, madeSentences, reworded, seeded } from './sentences.ts'

const NEIGHBOURS = 8
/** The default of `similarity_threshold`. */
const LEAST = 0.85
const LOOKUPS = 1000
const COMPARED = 150
/** Entries that come when there is no room, so that others go. */
const REPLACED = 2000

const sizes = process.argv.slice(2).map(Number)
if (sizes.length === 0) sizes.push(1_000, 10_000, 50_000, 100_000)
const random = seeded(12_345)
const wanted = Math.max(...sizes) + LOOKUPS + REPLACED
const corpus = corpusSentences(random)
if (!corpus) process.stdout.write('../shared/data is not here: sentences are made of templates\n')
const sentences = corpus ?? madeSentences(random, wanted)
const model = StaticModel.open(fileURLToPath(new URL('../../models/deflector-static-384', import.meta.url)))

/** Times in milliseconds. */
interface Measured {
  readonly add: readonly number[]
  readonly replace: readonly number[]
  readonly lookup: readonly number[]
  /** Of the exact neighbours of other sentences, of reworded ones, and of all that are near enough: the share found. */
  readonly recall: { readonly other: number; readonly reworded: number; readonly near: number }
}

function measure(size: number): Measured {
  const [others, newcomers] = [sentences.slice(-LOOKUPS), sentences.slice(-LOOKUPS - REPLACED, -LOOKUPS)]
  const vectors = sentences
    .slice(0, Math.min(size, sentences.length - LOOKUPS - REPLACED))
    .map(text => model.embed(text))
  const entries = new IndexedEntries(() => {})
  const nearest = (vector: Float32Array, least: number): string[] =>
    entries
      .search(vector, { partition: 1, most: NEIGHBOURS, least, now: 0, excluded: [] })
      .map(({ entry }) => String(entry.handle))
  const add = vectors.map((vector, i) => timed(() => entries.add(entryOf(i), vector)))
  const asked = others.map((text, i) =>
    i % 2 === 0 ? text : reworded(sentences[Math.floor(random() * vectors.length)] ?? text, random),
  )
  // Embedded just before, as in a request: the processor's caches are not the lookup's own.
  const lookup = asked.map(text => {
    const vector = model.embed(text)
    return timed(() => nearest(vector, LEAST))
  })
  const recall = { other: new Share(), reworded: new Share(), near: new Share() }
  for (const [i, text] of asked.slice(0, 2 * COMPARED).entries()) {
    const vector = model.embed(text)
    const found = new Set(nearest(vector, -1))
    for (const [id, similarity] of exact(vectors, vector)) {
      const hit = found.has(String(id))
      recall[i % 2 === 0 ? 'other' : 'reworded'].count(hit)
      if (similarity >= LEAST) recall.near.count(hit)
    }
  }
  const replace = newcomers.map((text, i) => {
    const vector = model.embed(text)
    return timed(() => {
      entries.remove(i)
      entries.add(entryOf(vectors.length + i), vector)
    })
  })
  const { other, reworded: same, near } = recall
  return { add, replace, lookup, recall: { other: other.value, reworded: same.value, near: near.value } }
}

const entryOf = (handle: number) => ({ handle, partition: 1, freshUntil: 1, text: '' })

function exact(vectors: readonly Float32Array[], vector: Float32Array): [id: number, similarity: number][] {
  const best = new Best(NEIGHBOURS)
  for (const [id, other] of vectors.entries()) best.offer(id, dot(vector, other))
  return best.slots.map(id => [id, dot(vector, vectors[id] ?? vector)])
}

class Share {
  #hits = 0
  #all = 0

  count(hit: boolean): void {
    this.#all++
    if (hit) this.#hits++
  }

  get value(): number {
    return this.#hits / this.#all
  }
}

function timed(run: () => void): number {
  const began = performance.now()
  run()
  return performance.now() - began
}

const told = (times: readonly number[]): string[] => {
  const sorted = times.toSorted((a, b) => a - b)
  return [0.5, 0.99, 1].map(share => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(3))
}

measure(2000) // compilers warm up
const columns = ['entries', ...['lookup', 'add', 'replace'].flatMap(what => [`${what} p50`, 'p99', '   max'])]
columns.push('recall@8 others', 'reworded', `at ${LEAST}+`)
process.stdout.write(`milliseconds, in one partition\n${columns.join('  ')}\n`)
for (const size of sizes) {
  const { lookup, add, replace, recall } = measure(size)
  const times = [lookup, add, replace].flatMap(told)
  const shares = [recall.other, recall.reworded, recall.near].map(share => share.toFixed(4))
  const cells = [String(add.length), ...times, ...shares]
  process.stdout.write(`${cells.map((cell, i) => cell.padStart(columns[i]?.length ?? 0)).join('  ')}\n`)
}
