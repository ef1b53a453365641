import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Context } from '../../../../plugins/layers/semantic-cache/context.ts'
import { vectorOf } from '../../../../plugins/layers/semantic-cache/similar.ts'
import { TestExchange } from '../../../contracts/host.ts'

const vector = Float32Array.from([1, 0])

/** Its embedder can be made in the engine, and fails where it is asked here. */
const context = (known: Float32Array | undefined): Context => {
  const embedder = { portable: { module: 'file:///m', options: {} }, knownFor: () => known }
  return { embedder } as unknown as Context
}

test('a vector that another layer of the exchange had made goes along with the text', async () => {
  assert.is(await vectorOf(context(vector), new TestExchange(), 'text'), vector)
})

test('without one the engine makes its own', async () => {
  assert.is(await vectorOf(context(undefined), new TestExchange(), 'text'), undefined)
})

test.run()
