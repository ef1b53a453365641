import { execFileSync, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { VirtualClock } from '../../../../../surfaces/cli/pipeline/test/virtual-clock.ts'
import { tempFolder } from '../../../../support/opened.ts'

const START = Date.UTC(2026, 0, 1)
const clockAtRest = (): VirtualClock => new VirtualClock(START, () => 'id')

test('moves to the next sleeper once nothing goes on', async () => {
  const clock = clockAtRest()
  await clock.during(clock.sleep(5000))
  assert.is(clock.now(), START + 5000)
})

test('stands still while a file is read, however many turns of the event loop that takes', async () => {
  const pipe = join(tempFolder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const clock = clockAtRest()
  let woken = false
  const stop = clock.after(5000, () => {
    woken = true
  })
  // Another process writes only after many turns.
  spawn('sh', ['-c', 'sleep 0.3; printf "written at last" > "$0"', pipe])
  assert.is(await clock.during(readFile(pipe, 'utf8')), 'written at last')
  assert.equal([clock.now(), woken], [START, false])
  stop()
})

test.run()
