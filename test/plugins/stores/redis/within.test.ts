import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { within } from '../../../../plugins/stores/redis/within.ts'
import { tempFolder } from '../../../support/opened.ts'

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

test('gives the outcome, good or bad, when it comes in time', async () => {
  assert.is(await within(5000, Promise.resolve(1)), 1)
  assert.is(await within(5000, Promise.reject(new Error('broken'))).catch(messageOf), 'broken')
})

test('fails when nothing comes, and what comes later troubles nobody', async () => {
  let late: (error: Error) => void = () => {}
  const promise = new Promise<never>((_, reject) => {
    late = reject
  })
  assert.is(await within(5, promise).catch(messageOf), 'no answer within 5 ms')
  late(new Error('too late'))
})

test('an answer that arrived while the process was busy is in time', async () => {
  const pipe = join(tempFolder('within'), 'pipe')
  spawnSync('mkfifo', [pipe])
  const end = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
  const reader = new Socket({ fd: end, readable: true, writable: false })
  await nextTurn() // timers are next then, before what can be read
  const answer = within(1, once(reader, 'data'))
  // No turn of the event loop until the answer is there, and the limit long over: a process takes more than 1 ms.
  spawnSync('sh', ['-c', 'printf "it is there"'], { stdio: ['ignore', end, 'ignore'] })
  assert.is(String(await answer), 'it is there')
  reader.destroy()
})

test.run()
