import { join } from 'node:path'
import { Arena } from '../../plugins/layers/semantic-cache/engine/index/arena.ts'
import { PartitionIndex, RESCORED } from '../../plugins/layers/semantic-cache/engine/index/partition-index.ts'
import { StaticModel } from '../../plugins/models/static/static-model.ts'
import { root } from './labelled.ts'
import type { Met } from './pair-judge.ts'
import { remembered } from './remembered.ts'

/** A text of an earlier request, or of a filler, that is near. */
export interface Near {
  readonly at: number
  readonly cosine: number
  /** What the judge makes of the pair. */
  met?: Met
}

const model = StaticModel.open(join(root, 'models/deflector-static-384'))
const vectors = new Map<string, Float32Array>()

/** By the built-in model. */
const vectorOf = (text: string): Float32Array => remembered(vectors, text, () => model.embed(text))

export const cosineOf = (one: string, other: string): number => dot(vectorOf(one), vectorOf(other))

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  // Indices are within, as both are vectors of one model.
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}

const bestFirst = (near: Near[]): Near[] => near.sort((a, b) => b.cosine - a.cosine)

/** For each text all earlier ones at or above `least`, best first. A text that came before has its place then. */
export function earlierNeighbours(texts: readonly string[], least: number): Near[][] {
  const first = new Map<string, number>()
  const found: Near[][] = []
  for (const [i, text] of texts.entries()) {
    const before = first.get(text)
    const vector = vectorOf(text)
    const near: Near[] = []
    for (const [other, at] of before === undefined ? first : []) {
      const cosine = dot(vector, vectorOf(other))
      if (cosine >= least) near.push({ at, cosine })
    }
    // Whatever came since was compared with it, but is no neighbour of a verbatim repeat, which is always answered.
    found.push(bestFirst(near))
    if (before === undefined) first.set(text, i)
  }
  return found
}

/** For each text the nearest of the others at or above `least`, best first, as the cache finds them. */
export function indexNeighbours(texts: readonly string[], others: readonly string[], least: number): Near[][] {
  const index = new PartitionIndex<{ slot: number; at: number }>(Arena.open())
  for (const [at, other] of others.entries()) index.add({ slot: -1, at }, vectorOf(other))
  const known = new Map<string, Near[]>()
  return texts.map(text =>
    remembered(known, text, () =>
      index.search(vectorOf(text), least, RESCORED).map(({ item: { at }, similarity }) => ({ at, cosine: similarity })),
    ),
  )
}
