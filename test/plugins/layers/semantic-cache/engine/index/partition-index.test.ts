import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { Arena } from '../../../../../../plugins/layers/semantic-cache/engine/index/arena.ts'
import { BLOCKS, DIMENSIONS, ROWS } from '../../../../../../plugins/layers/semantic-cache/engine/index/layout.ts'
import { dot, PartitionIndex } from '../../../../../../plugins/layers/semantic-cache/engine/index/partition-index.ts'
import { StaticModel } from '../../../../../../plugins/models/static/static-model.ts'
import { madeSentences, reworded, seeded } from '../../../../../bench/sentences.ts'

interface Item {
  slot: number
  readonly name: number
  readonly vector: Float32Array
}

const random = seeded(7)
const unit = (vector: Float32Array): Float32Array => {
  const length = Math.sqrt(dot(vector, vector))
  return vector.map(x => x / length)
}
const draw = (): Float32Array =>
  unit(Float32Array.from({ length: DIMENSIONS }, () => random() + random() + random() - 1.5))
/** Vectors of all directions: nothing is common to them, and no two are near. */
const scattered = (count: number): Float32Array[] => Array.from({ length: count }, draw)

const FOLDER = fileURLToPath(new URL('../../../../../../models/deflector-static-384', import.meta.url))
const model = StaticModel.open(FOLDER)
const texts = madeSentences(seeded(8), 12_000)
/** Vectors of sentences by the built-in model. */
const said = (from: number, to: number): Float32Array[] => texts.slice(from, to).map(text => model.embed(text))

const words = vocabulary()
/** Vectors of one to twelve words that the built-in model knows, at random. */
const bags = (count: number): Float32Array[] =>
  Array.from({ length: count }, () => {
    const length = 1 + Math.floor(random() * 12)
    return model.embed(Array.from({ length }, () => words[Math.floor(random() ** 3 * words.length)]).join(' '))
  })

function vocabulary(): string[] {
  const tokens = z.object({ model: z.object({ vocab: z.record(z.string(), z.number()) }) })
  const { vocab } = tokens.parse(JSON.parse(readFileSync(join(FOLDER, 'tokenizer.json'), 'utf8'))).model
  return Object.keys(vocab).filter(token => /^[a-z]+$/.test(token))
}

let names = 0
const itemOf = (vector: Float32Array): Item => ({ slot: -1, name: names++, vector })
function indexOf(vectors: readonly Float32Array[], arena = Arena.open()): [PartitionIndex<Item>, Set<Item>] {
  const index = new PartitionIndex<Item>(arena)
  const items = new Set(vectors.map(itemOf))
  for (const item of items) index.add(item, item.vector)
  return [index, items]
}

const nearest = (items: Iterable<Item>, query: Float32Array, count: number): Item[] =>
  [...items]
    .map(item => ({ item, similarity: dot(query, item.vector) }))
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, count)
    .map(({ item }) => item)

/** The share of the exact eight nearest that the index finds, of those that are near enough. */
function recall(
  index: PartitionIndex<Item>,
  items: ReadonlySet<Item>,
  queries: readonly Float32Array[],
  least = -1,
): number {
  let [found, wanted] = [0, 0]
  for (const query of queries) {
    const neighbours = new Set(index.search(query, least, 8).map(({ item }) => item))
    const exact = nearest(items, query, 8).filter(({ vector }) => dot(query, vector) >= least)
    wanted += exact.length
    found += exact.filter(item => neighbours.has(item)).length
  }
  return found / wanted
}

for (const size of [1, 32, 33, 64, 65, 300, 1536])
  test(`gives just what a plain scan of ${size} gives`, () => {
    const [index, items] = indexOf(said(0, size))
    for (const query of [...said(size, size + 10), ...scattered(10)]) {
      const neighbours = index.search(query, -1, 8)
      assert.equal(
        neighbours.map(({ similarity }) => similarity),
        nearest(items, query, 8).map(({ vector }) => dot(query, vector)),
      )
      for (const { item, similarity } of neighbours) assert.is(similarity, dot(query, item.vector))
    }
  })

test('of 10,000 sentences finds the eight nearest, of other sentences and of reworded ones', () => {
  const [index, items] = indexOf(said(0, 10_000))
  const other = recall(index, items, said(11_900, 12_000))
  assert.ok(other >= 0.99, `others ${other}`)
  const same = texts.slice(0, 100).map(text => model.embed(reworded(text, random)))
  const near = recall(index, items, same)
  assert.ok(near >= 0.99, `reworded ${near}`)
})

test('of 10,000 bags of words, which are near to nothing in particular, finds the eight nearest', () => {
  const [index, items] = indexOf(bags(10_000))
  const share = recall(index, items, bags(100))
  assert.ok(share >= 0.99, `recall ${share}`)
})

test('finds them too where the first ones, whose middle is the centre, were nothing like the others', () => {
  const alike = Array.from({ length: 40 }, () =>
    model.embed(reworded('how do I reset the password of my account', random)),
  )
  const [index, items] = indexOf([...alike, ...bags(10_000)])
  const share = recall(index, items, bags(100))
  assert.ok(share >= 0.99, `recall ${share}`)
})

for (const least of [0.3, 0.5, 0.7, 0.85, 0.95])
  test(`loses none that is near enough by guessing which are: ${least}`, () => {
    const near = (vector: Float32Array): Float32Array => {
      const share = 0.5 * random()
      return unit(draw().map((x, i) => share * x + (1 - share) * (vector[i] ?? 0)))
    }
    const alike = Array.from({ length: 40 }, () =>
      model.embed(reworded('how do I reset the password of my account', random)),
    )
    for (const vectors of [said(0, 3000), bags(3000), [...alike, ...bags(3000)], scattered(3000)]) {
      const [index, items] = indexOf(vectors)
      const share = recall(index, items, vectors.slice(-100).map(near), least)
      assert.ok(share >= 0.999, `recall ${share}`)
    }
  })

test('finds them too where a few dimensions say nearly everything', () => {
  const skewed = (vector: Float32Array): Float32Array => unit(vector.map((x, i) => x / (i + 1)))
  const vectors = scattered(600).map(skewed)
  const [index, items] = indexOf(vectors)
  const share = recall(index, items, scattered(50).map(skewed), 0.7)
  assert.ok(share >= 0.99, `recall ${share}`)
})

test('finds them too where vectors have nothing in common', () => {
  const middle = draw()
  const apart = (vector: Float32Array): Float32Array => unit(vector.map((x, i) => x - 0.8 * (middle[i] ?? 0)))
  const [index, items] = indexOf(said(0, 5000).map(apart))
  const share = recall(index, items, said(11_900, 12_000).map(apart))
  assert.ok(share >= 0.99, `recall ${share}`)
})

test('finds them while entries come and go', () => {
  const [index, kept] = indexOf([])
  const queries = said(11_990, 12_000)
  let next = 0
  const come = (count: number): void => {
    for (const item of said(next, next + count).map(itemOf)) {
      index.add(item, item.vector)
      kept.add(item)
    }
    next += count
  }
  const go = (count: number): void => {
    for (const item of anyOf(kept, count)) {
      assert.is(index.delete(item), true)
      assert.is(index.delete(item), false)
      kept.delete(item)
    }
  }
  // Up past every size at which the work is done otherwise, down to nothing, and up again.
  for (const [coming, going] of [
    ...steps(30, 120, 40),
    ...steps(20, 40, 140),
    ...steps(1, 0, 5000),
    ...steps(5, 60, 20),
  ]) {
    come(coming)
    go(Math.min(going, kept.size))
    assert.is(index.size, kept.size)
    if (kept.size === 0) assert.equal(index.search(draw(), -1, 8), [])
    else assert.ok(recall(index, kept, queries) >= 0.98, `at ${kept.size}`)
  }
})

const steps = (count: number, coming: number, going: number): [coming: number, going: number][] =>
  Array.from({ length: count }, () => [coming, going])

function anyOf(items: ReadonlySet<Item>, count: number): Item[] {
  const all = [...items]
  return Array.from({ length: count }, () => all.splice(Math.floor(random() * all.length), 1)).flat()
}

test('gives nothing below the least similarity, and no more than asked for', () => {
  const vector = draw()
  const opposite = vector.map(x => -x)
  const [index, items] = indexOf([...Array.from({ length: 20 }, () => vector), opposite])
  assert.equal(
    index.search(vector, 0.5, 3).map(({ item }) => item.slot),
    [0, 1, 2],
  )
  assert.equal(
    index.search(opposite, 0.5, 8).map(({ item }) => item),
    [...items].slice(-1),
  )
})

test('finds one of thousands that are all the same, and a vector that is the centre itself', () => {
  const vector = draw()
  const [index] = indexOf(Array.from({ length: 3000 }, () => vector))
  assert.is(index.search(vector, 0.999, 8).length, 8)
})

test('works without WebAssembly too', () => {
  const index = new PartitionIndex<Item>()
  const items = said(0, 200).map(itemOf)
  for (const item of items) index.add(item, item.vector)
  const one = items[150]
  assert.ok(one)
  assert.is(index.search(one.vector, 0.99, 1)[0]?.item, one)
  assert.is(index.delete(one), true)
  assert.is(index.search(one.vector, 0.9999, 1).length, 0)
})

test('goes on as a plain list where there is no memory left', () => {
  const arena = Arena.open()
  assert.ok(arena)
  const take = arena.take.bind(arena)
  let left = 3
  arena.take = () => (left-- > 0 ? take() : undefined)
  const [index, items] = indexOf(said(0, 5 * ROWS), arena)
  assert.is(recall(index, items, said(11_990, 12_000)), 1)
  assert.is(left, -1, 'it does not ask again')
})

test('two partitions in one arena do not disturb each other', () => {
  const arena = Arena.open()
  const [one, ones] = indexOf(said(0, 2000), arena)
  const [other, others] = indexOf(said(2000, 4000), arena)
  const queries = said(11_980, 12_000)
  for (const query of queries) {
    assert.is(one.search(query, -1, 1)[0]?.similarity, dot(query, nearest(ones, query, 1)[0]?.vector ?? query))
    assert.is(other.search(query, -1, 1)[0]?.similarity, dot(query, nearest(others, query, 1)[0]?.vector ?? query))
  }
  one.clear()
  assert.is(recall(other, others, queries), 1)
})

test('a partition larger than one memory reaches over several, which go when it goes', () => {
  const arena = Arena.open()
  assert.ok(arena)
  // All but a few blocks are somebody else's, so that the next partition begins in one memory and ends in another.
  const taken = Array.from({ length: BLOCKS - 3 }, () => arena.take()).flatMap(block => block ?? [])
  const [index, items] = indexOf(said(0, 2500), arena)
  assert.is(arena.slabs, 2)
  const gone = anyOf(items, 500)
  for (const item of gone) {
    index.delete(item)
    items.delete(item)
  }
  assert.is(recall(index, items, said(11_980, 12_000)), 1)
  index.clear()
  assert.is(arena.slabs, 1)
  for (const block of taken) arena.give(block)
  assert.is(arena.slabs, 1)
})

test.run()
