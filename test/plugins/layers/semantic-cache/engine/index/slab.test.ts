import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { DIMENSIONS, GRADES } from '../../../../../../plugins/layers/semantic-cache/engine/index/layout.ts'
import { dot } from '../../../../../../plugins/layers/semantic-cache/engine/index/partition-index.ts'
import { Query } from '../../../../../../plugins/layers/semantic-cache/engine/index/query.ts'
import { Slab } from '../../../../../../plugins/layers/semantic-cache/engine/index/slab.ts'
import { seeded } from '../../../../../bench/sentences.ts'

const random = seeded(5)
const draw = (): Float32Array => unit(Float32Array.from({ length: DIMENSIONS }, () => random() + random() - 1))
function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector))
  return vector.map(x => x / length)
}
const mix = (a: Float32Array, b: Float32Array, share: number): Float32Array =>
  unit(a.map((x, i) => (1 - share) * x + share * (b[i] ?? 0)))

test('an estimate is the cosine but for chance, a measure but for rounding, however far from the centre', () => {
  const slab = Slab.open()
  const block = slab?.take()
  assert.ok(slab && block)
  const common = draw()
  const centre = common.map(x => 0.8 * x)
  const constant = (query: Float32Array): number => dot(query, centre) - dot(centre, centre)
  let square = 0
  const pairs = 400
  for (let i = 0; i < pairs; i++) {
    const query = mix(draw(), common, random())
    const vector = mix(mix(draw(), query, 0.7 * random()), common, 0.7 * random())
    slab.write(block.at, 0, vector, centre)
    const question = new Query(query, centre, { least: -1, signs: DIMENSIONS })
    slab.score(question, block.at, 1)
    const grade = slab.counts.findIndex(count => count > 0)
    const off = grade / (GRADES / 2) - 1 - dot(query, vector)
    square += off ** 2 / pairs
    assert.is(slab.measure(question, block.at, 1, 0), 1)
    const measured = (slab.values[0] ?? Number.NaN) + constant(query)
    assert.ok(Math.abs(measured - dot(query, vector)) < 0.002, `${measured}, not ${dot(query, vector)}`)
  }
  assert.ok(Math.sqrt(square) < 0.07, `spread ${Math.sqrt(square)}`)
})

test.run()
