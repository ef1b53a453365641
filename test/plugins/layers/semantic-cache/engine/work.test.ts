import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { LookupMessage } from '../../../../../plugins/layers/semantic-cache/engine/messages.ts'
import { Work } from '../../../../../plugins/layers/semantic-cache/engine/work.ts'
import { until } from '../../../../support/until.ts'

const vector = new Float32Array(384)
vector[0] = 1

/** Each text takes a millisecond to embed. */
const embedder = {
  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, texts.length)
    return texts.map(() => vector)
  },
}
const lookup = (id: number): LookupMessage => ({
  id,
  partition: 1,
  judging: 'none',
  most: 8,
  least: 0.8,
  bar: 0.9,
  now: 0,
  excluded: [],
  text: 'x',
})
const add = (handle: number) => ({ handle, partition: 1, freshUntil: 1, text: `y${handle}` })

/** Work that counts what it has done; `answered` hears of each answer. */
function counted(answered: () => void = () => {}): { work: Work; done: { answers: number; adds: number } } {
  const done = { answers: 0, adds: 0 }
  const work = new Work({ embedder }, message => {
    if (message.is === 'added') done.adds += message.count
    if (message.is !== 'answer') return
    done.answers++
    answered()
  })
  return { work, done }
}

test('new entries are indexed, if slowly, while lookups always wait', async () => {
  let id = 0
  let on = true
  const next = (): void => work.lookup(lookup(++id))
  const { work, done } = counted(() => {
    if (on) setImmediate(next)
  })
  for (let i = 0; i < 3; i++) next()
  for (let handle = 1; handle <= 64; handle++) work.add(add(handle))
  await until('all are indexed', () => done.adds === 64)
  on = false
  assert.ok(done.answers > 128, `${done.answers} lookups were answered meanwhile`)
})

test('an entry that comes twice before its turn counts twice and is indexed once', async () => {
  const { work, done } = counted()
  work.lookup(lookup(1))
  for (let i = 0; i < 3; i++) work.add(add(7))
  await until('all is done', () => done.answers === 1 && done.adds >= 3)
  assert.is(done.adds, 3)
})

test.run()
