import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../core/clock.ts'
import { buildGeneration } from '../../core/gateway.ts'
import type { Generation } from '../../core/generation.ts'
import { hostLog } from '../../core/host-log.ts'
import { Keep } from '../../core/keep.ts'
import { createLoader } from '../../core/pipeline/loader.ts'
import { readPipeline } from '../../core/pipeline/read.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

async function generation(): Promise<Generation> {
  const { pipeline } = await readPipeline({
    file: 'empty.yaml',
    text: 'flows: {}',
    settings: {},
    loader: createLoader(),
  })
  assert.ok(pipeline)
  return buildGeneration(pipeline, {
    log: hostLog(quiet, systemClock),
    clock: systemClock,
    keep: new Keep(),
    gateway: 'g',
    number: 1,
  })
}

test('a drain waits for a call that is tracked only later in the turn it began in', async () => {
  const old = await generation()
  let drained = false
  const draining = old.drain().then(() => {
    drained = true
  })
  let end = (): void => {}
  old.track(
    new Promise(resolve => {
      end = resolve
    }),
  )
  for (let turn = 0; turn < 3; turn++) await nextTurn()
  assert.is(drained, false)
  end()
  await draining
  assert.is(drained, true)
})

test('a drain without a call on its way is over in the next turn', async () => {
  const old = await generation()
  let drained = false
  void old.drain().then(() => {
    drained = true
  })
  for (let turn = 0; turn < 3; turn++) await nextTurn()
  assert.is(drained, true)
})

test.run()
